import type { Db } from './open.ts'
import type { Schema } from './schema.ts'
import { tablesOf } from './tables.ts'

/** The same in all databases that tests open. */
let tables: readonly (keyof Schema)[] | undefined

/** All rows of all tables, to see that a request changed nothing; some tables may change with any request. */
export async function everythingIn(db: Db, without: readonly (keyof Schema)[]) {
  // They are read from the database itself.
  tables ??= (await tablesOf(db)).map(({ name }) => name as keyof Schema)
  const watched = tables.filter((table) => !without.includes(table))
  return Promise.all(watched.map((table) => db.selectFrom(table).selectAll().execute()))
}
