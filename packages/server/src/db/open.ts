import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
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
  const kept = new Map<string, SqliteStatement>()
  return {
    close: () => sqlite.close(),
    prepare(sql) {
      let statement = kept.get(sql)
      if (!statement) {
        if (kept.size >= 500) kept.clear()
        statement = prepare(sqlite, sql)
        kept.set(sql, statement)
      }
      return statement
    },
  }
}

function prepare(sqlite: DatabaseSync, sql: string): SqliteStatement {
  const statement = sqlite.prepare(sql)
  // Repositories bind only text, numbers and null; Kysely's type is wider.
  const bind = (values: readonly unknown[]) => values as SQLInputValue[]
  return {
    // Read once: SQLite describes every column anew each time, which takes as long as running the statement.
    reader: statement.columns().length > 0,
    all: (values) => statement.all(...bind(values)),
    run(values) {
      // Of a full or broken disk SQLite has rolled back by itself: a second time would fail and hide why.
      if (sql === 'rollback' && !sqlite.isTransaction) return { changes: 0, lastInsertRowid: 0 }
      return statement.run(...bind(values))
    },
    iterate: (values) => statement.iterate(...bind(values)),
  }
}

/** SQLite's own number for an error, the extended one; null for errors of anything else. */
function errcodeOf(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null
  return typeof error.errcode === 'number' ? error.errcode : null
}

/** Whether an error says that a unique index refused the row. */
export function isUniqueViolation(error: unknown): boolean {
  const errcode = errcodeOf(error)
  // SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY.
  return errcode === 2067 || errcode === 1555
}

/** Whether an error says that what a row refers to is not there (SQLITE_CONSTRAINT_FOREIGNKEY). */
export function isForeignKeyViolation(error: unknown): boolean {
  return errcodeOf(error) === 787
}

const noRoom = 'The server has no disk space left. Nothing was changed. Free some space and try again.'
const notWritable =
  'The database of the server cannot be written because its disk is read-only. Nothing was changed. Contact the operator of the server.'
const notOpened =
  'The database of the server cannot be opened. Nothing was changed. Contact the operator of the server.'
const broken =
  'The disk of the server reports errors. Nothing was changed. Try again, or contact the operator of the server.'

/** By what is common to all of SQLite's errors of a kind, which is their last byte. */
const ofSqlite: Record<number, string> = { 8: notWritable, 10: broken, 13: noRoom, 14: notOpened }
/** By the name of the system call's error. */
const ofSystem: Record<string, string> = { ENOSPC: noRoom, EDQUOT: noRoom, EROFS: notWritable, EIO: broken }

/**
 * What an error says of the disk under the database, as a sentence for a person: that it is full, read-only or broken,
 * and that the request is not to blame. Null for every other error.
 */
export function storageProblem(error: unknown): string | null {
  const errcode = errcodeOf(error)
  if (errcode !== null) return ofSqlite[errcode & 0xff] ?? null
  if (typeof error !== 'object' || error === null || !('code' in error)) return null
  return ofSystem[`${error.code}`] ?? null
}
