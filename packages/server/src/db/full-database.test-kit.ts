/** A database of SQLite that finds its disk full at a write of the test's choice, as the real one answers that. */
import type * as sqlite from 'node:sqlite'

/** How many writes there were, and which find no room: a whole transaction is one, as SQLite writes when it ends. */
export interface FullDatabase {
  writes: number
  fullAt: (write: number) => boolean
}

const reads = /^\s*(select|pragma|explain|begin|savepoint|release|rollback)\b/i

/** To be put in the place of node:sqlite by `vi.mock`. */
export function onDatabase(real: typeof sqlite, disk: FullDatabase): typeof sqlite {
  class DatabaseSync extends real.DatabaseSync {
    override prepare(sql: string): sqlite.StatementSync {
      const statement = super.prepare(sql)
      if (reads.test(sql)) return statement
      const isEnd = /^\s*commit\b/i.test(sql)
      const takeRoom = () => {
        if (!isEnd && this.isTransaction) return
        disk.writes += 1
        if (!disk.fullAt(disk.writes)) return
        if (this.isTransaction) super.exec('rollback')
        throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 })
      }
      for (const name of ['run', 'all', 'get', 'iterate'] as const) {
        // Each passes on what it was given: the four differ in what they answer only.
        const act = statement[name].bind(statement) as (...values: unknown[]) => unknown
        Object.assign(statement, {
          [name]: (...values: unknown[]) => {
            takeRoom()
            return act(...values)
          },
        })
      }
      return statement
    }
  }
  return { ...real, DatabaseSync }
}
