import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { Kysely, type SqliteDatabase, SqliteDialect, type SqliteStatement } from 'kysely'
import type { Db, Schema } from './schema.ts'

/**
 * Opens the embedded SQLite database. Every acknowledged write is on the disk before the answer leaves:
 * write-ahead log with `synchronous=full`. `readOnly` is for programs beside the server.
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
