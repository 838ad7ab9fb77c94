import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  Kysely,
  type KyselyConfig,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionBuilder,
} from 'kysely'
import { isDiskFull, isWayOut, withRoom } from '../lib/way-out.ts'
import type { Db, Schema } from './schema.ts'
import { type Adapted, WaitingSqliteDriver } from './sqlite-driver.ts'
import { makeWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts'

/** So long the log may get before SQLite shortens it itself, while everybody waits: 64 MiB. */
const mostPages = 16_384
/** For programs beside the server that write, of which there is hardly one. */
const busyMs = 5000

/**
 * Opens the embedded SQLite database. Every acknowledged write is on the disk before the answer leaves: who writes waits
 * for the write-ahead log, and nobody else does. `readOnly` is for programs beside the server; `content` is what one in
 * memory begins with. `makeRoom` is asked when what is a way out finds the disk full: that is tried again when it could.
 */
export function openSqlite(
  file: string,
  {
    readOnly = false,
    content,
    makeRoom = () => false,
  }: {
    readOnly?: boolean
    content?: Uint8Array | undefined
    makeRoom?: (() => boolean) | undefined
  } = {},
): Db {
  const makeRoomNow = () => isWayOut() && makeRoom()
  const sqlite = new DatabaseSync(file, { timeout: busyMs, readOnly })
  if (content) sqlite.deserialize(content)
  let log: WriteAheadLog | null = null
  if (!readOnly) {
    // Databases in memory have none.
    const hasLog = sqlite.prepare('pragma journal_mode=wal').get()?.journal_mode === 'wal'
    const synchronous = hasLog ? 'normal' : 'full'
    const settings = [`synchronous=${synchronous}`, `wal_autocheckpoint=${mostPages}`, 'foreign_keys=on']
    for (const setting of settings) sqlite.exec(`pragma ${setting}`)
    if (hasLog) log = makeWriteAheadLog(file, () => foldIn(sqlite))
  }
  const database = adapt(sqlite, makeRoomNow)
  return new PersistentKysely(makeRoomNow, {
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => new WaitingSqliteDriver(database, log, makeRoomNow),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/**
 * Writes all that the log has into the database file, and that to the disk, and empties the log: a part of it that the
 * disk has lost must not be read again. Waits for nobody.
 */
function foldIn(sqlite: DatabaseSync): void {
  sqlite.exec('pragma busy_timeout=0')
  try {
    if (sqlite.prepare('pragma wal_checkpoint(truncate)').get()?.busy === 0) return
  } finally {
    sqlite.exec(`pragma busy_timeout=${busyMs}`)
  }
  throw Object.assign(new Error('The log cannot be written into the database now'), { code: 'EIO' })
}

/** Transactions that found the disk full begin again when room was made for them: SQLite has undone all of it. */
class PersistentKysely extends Kysely<Schema> {
  readonly #makeRoom: () => boolean

  constructor(makeRoom: () => boolean, config: KyselyConfig) {
    super(config)
    this.#makeRoom = makeRoom
  }

  override transaction(): TransactionBuilder<Schema> {
    const builder = super.transaction()
    const execute = builder.execute.bind(builder)
    builder.execute = (callback) => withRoom(this.#makeRoom, () => execute(callback))
    return builder
  }
}

/** The driver has its own way of letting one use the connection at a time. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** What changes nothing; of everything else it is taken for granted. */
const reads = /^\s*(select|pragma|explain|begin|commit|savepoint|release)\b/i

/** Kysely's SQLite driver takes any object of this shape. Statements are kept: preparing costs more than running. */
function adapt(sqlite: DatabaseSync, makeRoom: () => boolean): Adapted {
  const kept = new Map<string, SqliteStatement>()
  let hasWritten = false
  return {
    close: () => sqlite.close(),
    takeWritten() {
      const had = hasWritten
      hasWritten = false
      return had
    },
    prepare(sql) {
      let statement = kept.get(sql)
      if (!statement) {
        if (kept.size >= 500) kept.clear()
        statement = persistent(sqlite, prepare(sqlite, sql), makeRoom)
        kept.set(sql, statement)
      }
      if (!reads.test(sql)) hasWritten = sql !== 'rollback'
      return statement
    },
  }
}

/**
 * A statement that found the disk full is run again when room was made, where that undid nothing else: in a transaction
 * SQLite may have undone what came before, and then all of it has to begin again.
 */
function persistent(
  sqlite: DatabaseSync,
  statement: SqliteStatement,
  makeRoom: () => boolean,
): SqliteStatement {
  function again<T>(act: () => T): T {
    const isWithin = sqlite.isTransaction
    for (;;) {
      try {
        return act()
      } catch (error) {
        if (!isDiskFull(error) || sqlite.isTransaction !== isWithin || !makeRoom()) throw error
      }
    }
  }
  return {
    ...statement,
    all: (values) => again(() => statement.all(values)),
    run: (values) => again(() => statement.run(values)),
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
