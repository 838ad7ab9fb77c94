import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { alsoWaitFor } from '../lib/hand-clock.ts'
import { migrated, urlOf } from './cluster.test-kit.ts'
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

// Also where no test runs: beside the tests of screens, which run in a browser.
const cluster = process.env.VITEST_POOL_ID === undefined ? undefined : inject('postgres')
export const onPostgres = cluster !== undefined

let underWay = 0
let ending: PromiseWithResolvers<void> | null = null
alsoWaitFor(() => {
  if (underWay === 0) return null
  ending ??= Promise.withResolvers()
  return ending.promise
})
function ended(): void {
  underWay--
  if (underWay > 0) return
  ending?.resolve()
  ending = null
}
const counted = (of: object, name: string) => {
  const act: (...args: unknown[]) => unknown = Reflect.get(of, name)
  Reflect.set(of, name, function (this: unknown, ...args: unknown[]) {
    const result = act.apply(this, args)
    if (!(result instanceof Promise)) return result
    underWay++
    return result.finally(ended)
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
  if (!cluster) return file === undefined ? openInMemory() : openMigrated({ file })
  const url = (file && kept.get(file)) || free.pop() || (await createDatabase(migrated))
  if (file) kept.set(file, url)
  const db = openDatabase({ url }, { inTurn: true })
  urls.set(db, url)
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

let schema: Promise<Uint8Array> | undefined

/** A copy of one database: all migrations take as long as a short test, and most tests have an app of their own. */
async function openInMemory(): Promise<Db> {
  schema ??= migratedFile()
  return openDatabase({ file: ':memory:' }, { content: await schema })
}

async function migratedFile(): Promise<Uint8Array> {
  const dir = await mkdtemp(path.join(tmpdir(), 'slipway-schema-'))
  const file = path.join(dir, 'schema.db')
  try {
    const db = await openMigrated({ file: ':memory:' })
    await sql`vacuum into ${file}`.execute(db)
    await db.destroy()
    return await readFile(file)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Another server's connections to the same database; SQLite has one for all. */
export function openBeside(db: Db): Db {
  const url = urls.get(db)
  return url ? openDatabase({ url }) : db
}

/** The URL of a PostgreSQL database without anything in it, or of a copy of `template`. */
export async function createDatabase(template?: string): Promise<string> {
  if (!cluster) throw new Error('this run of the tests has no PostgreSQL')
  const admin = new pg.Client({ connectionString: cluster })
  await admin.connect()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await admin.query(`create database ${name}${template ? ` template ${template}` : ''}`)
  await admin.end()
  return urlOf(cluster, name)
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
  tables ??= await tablesOf(db)
  // In one go, and without triggers, so in any order.
  const deletions = tables.map((name) => `delete from "${name}";`).join('\n')
  await sql
    .raw(`do $$ begin
      drop function if exists refuse cascade;
      set local session_replication_role = replica;
      ${deletions}
    end $$`)
    .execute(db)
}

let tables: string[] | undefined

async function tablesOf(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = current_schema() and table_name not like 'kysely%'`.execute(db)
  return rows.map(({ name }) => name)
}
