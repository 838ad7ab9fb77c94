import type { Db } from './open.ts'

/** Counts the rows that are read from a database from now on: what a look costs, without a clock. */
export function countRows(db: Db): () => number {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  let rows = 0
  executor.executeQuery = async (query) => {
    const result = await execute<never>(query)
    rows += result.rows.length
    return result
  }
  return () => rows
}

/** How many rows are read by something that is done. */
export async function rowsOf(count: () => number, act: () => Promise<unknown>): Promise<number> {
  const before = count()
  await act()
  return count() - before
}
