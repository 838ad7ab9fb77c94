import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect } from 'kysely'
import type { Schema } from './schema.ts'

export type Db = Kysely<Schema>

/**
 * Opens the embedded SQLite database. Every acknowledged write is on the disk before the answer leaves:
 * write-ahead log with `synchronous=full`. Repositories write plain SQL that PostgreSQL takes as well. `readOnly` is
 * for programs beside the server.
 */
export function openSqlite(file: string, { readOnly = false } = {}): Db {
  const sqlite = new DatabaseSync(file, { timeout: 5000, readOnly })
  if (!readOnly) sqlite.exec('pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on')
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapt(sqlite) }) })
}

/** Kysely's SQLite dialect takes any object of this shape. Statements are kept: preparing costs more than running. */
function adapt(sqlite: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, StatementSync>()
  return {
    close: () => sqlite.close(),
    prepare(sql) {
      let statement = kept.get(sql)
      if (!statement) {
        if (kept.size >= 500) kept.clear()
        statement = sqlite.prepare(sql)
        kept.set(sql, statement)
      }
      const own = statement
      // Repositories bind only text, numbers and null; Kysely's type is wider.
      const bind = (values: readonly unknown[]) => values as SQLInputValue[]
      return {
        reader: own.columns().length > 0,
        all: (values) => own.all(...bind(values)),
        run(values) {
          // A full disk has ended the transaction already; to roll it back again would hide that reason.
          if (sql === 'rollback' && !sqlite.isTransaction) return { changes: 0, lastInsertRowid: 0 }
          return own.run(...bind(values))
        },
        iterate: (values) => own.iterate(...bind(values)),
      }
    },
  }
}

/** Whether an error says that a unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
  return 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555)
}

/** Whether an error says that what a row refers to is not there (SQLITE_CONSTRAINT_FOREIGNKEY). */
export function isForeignKeyViolation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === 787
}

/** Whether an error says that the disk is full (SQLITE_FULL). */
export function isDiskFull(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'errcode' in error && error.errcode === 13
}
