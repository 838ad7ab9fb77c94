import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { alsoWaitFor } from '../lib/hand-clock.ts'
import { migrate } from './migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from './open.ts'
import type { Schema } from './schema.ts'
import { WaitingSqliteDriver } from './sqlite-driver.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where tests make their databases when they run on PostgreSQL; else they are SQLite's. */
    postgres?: string
  }
}

const cluster = inject('postgres')
export const onPostgres = cluster !== undefined

let underWay = 0
alsoWaitFor(() => underWay > 0)
const counted = (of: object, name: string) => {
  const act: (...args: unknown[]) => unknown = Reflect.get(of, name)
  Reflect.set(of, name, function (this: unknown, ...args: unknown[]) {
    const result = act.apply(this, args)
    if (!(result instanceof Promise)) return result
    underWay++
    return result.finally(() => underWay--)
  })
}
counted(pg.Client.prototype, 'query')
counted(pg.Pool.prototype, 'connect')
// It waits for the disk. Tests on PostgreSQL have SQLite, too, where something is copied from it.
counted(WaitingSqliteDriver.prototype, 'releaseConnection')

/** Where the databases of this file's tests are. */
const urls = new WeakMap<Db, string>()
/** Those that are empty again. */
const free: string[] = []
/** By the file that a test names, so that it finds again what it stored. */
const kept = new Map<string, string>()

/**
 * A database with the schema and nothing in it, of the kind that this run of the tests is about; the same again for the
 * same `file`. `own` is one that the test has made itself, of either kind.
 */
export async function openTestDb(file?: string, own?: DatabasePlace): Promise<Db> {
  if (own) return openMigrated(own)
  if (!cluster) return openMigrated({ file: file ?? ':memory:' })
  const url = (file && kept.get(file)) || free.pop() || (await createDatabase())
  if (file) kept.set(file, url)
  const db = await openMigrated({ url })
  if (file) return db
  const destroy = db.destroy.bind(db)
  return Object.assign(db, {
    async destroy() {
      await empty(db)
      await destroy()
      free.push(url)
    },
  })
}

/** A place for a database of the kind that this run is about, with nothing in it, not even tables. */
export const freshPlace = async (file: string): Promise<DatabasePlace> =>
  cluster ? { url: await createDatabase() } : { file }

async function openMigrated(place: DatabasePlace): Promise<Db> {
  const db = openDatabase(place, { inTurn: true })
  await migrate(db, null)
  if ('url' in place) urls.set(db, place.url)
  return db
}

/** Another server's connections to the same database; SQLite has one for all. */
export function openBeside(db: Db): Db {
  const url = urls.get(db)
  return url ? openDatabase({ url }) : db
}

/** The URL of a PostgreSQL database without anything in it. */
export async function createDatabase(): Promise<string> {
  if (!cluster) throw new Error('this run of the tests has no PostgreSQL')
  const admin = new pg.Client({ connectionString: cluster })
  await admin.connect()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await admin.query(`create database ${name}`)
  await admin.end()
  const url = new URL(cluster)
  url.pathname = name
  return url.href
}

/** Makes a database refuse to insert into a table or to update it, as on a full disk; returns what lets it again. */
export async function refuse(
  db: Db,
  what: 'insert' | 'update',
  table: keyof Schema,
): Promise<() => Promise<unknown>> {
  const on = sql.table(table)
  const name = sql.id(`refuse_${what}_${table}`)
  if (onPostgres) {
    await sql`create or replace function refuse() returns trigger language plpgsql
      as $$ begin raise exception 'full'; end $$`.execute(db)
    await sql`create trigger ${name} before ${sql.raw(what)} on ${on} for each row execute function refuse()`.execute(
      db,
    )
    return () => sql`drop trigger ${name} on ${on}`.execute(db)
  }
  await sql`create trigger ${name} before ${sql.raw(what)} on ${on} begin select raise(abort, 'full'); end`.execute(
    db,
  )
  return () => sql`drop trigger ${name}`.execute(db)
}

async function empty(db: Db): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely%'`.execute(db)
  await db.transaction().execute(async (tx) => {
    await sql`drop function if exists refuse cascade`.execute(tx)
    // Without triggers, so in any order.
    await sql`set local session_replication_role = replica`.execute(tx)
    for (const { name } of rows) await sql`delete from ${sql.table(name)}`.execute(tx)
  })
}
