// @module-tag both-databases
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { directoryOfFile } from '../lib/directory.test-kit.ts'
import { freshPlace, onPostgres } from './database.test-kit.ts'
import { migrateDatabase, migrations, migrationsDone } from './migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from './open.ts'

const base = directoryOfFile()

async function inDatabase<T>(place: DatabasePlace, work: (db: Db) => Promise<T>): Promise<T> {
  const db = openDatabase(place)
  return work(db).finally(() => db.destroy())
}

it('the numbers of migrations only grow: a database takes none before those it has', () => {
  const numbers = Object.keys(migrations).map((name) => Number(name.slice(0, 4)))
  // 0040 and 0041 were never released, and no longer can be.
  const expected = numbers.map((_, index) => index + (index < 39 ? 1 : 3))
  expect(numbers).toEqual(expected)
})

it('a database that a newer version has migrated is refused, with what it has, and stays as it is', async () => {
  const place = await freshPlace(path.join(base, 'newer.sqlite'))
  await migrateDatabase(place)
  await inDatabase(place, (db) =>
    sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(db),
  )
  const before = await inDatabase(place, migrationsDone)
  const files = await readdir(base)
  await expect(migrateDatabase(place)).rejects.toThrow(
    /newer version of Slipway \(9999-later\)\. Nothing was changed\. Start that version or a later one/,
  )
  expect(await inDatabase(place, migrationsDone)).toEqual(before)
  expect(await readdir(base)).toEqual(files)
})

it('a migration that fails says why', async () => {
  const place = await freshPlace(path.join(base, 'why.sqlite'))
  await inDatabase(place, (db) => sql`create table account (id integer primary key)`.execute(db))
  await expect(migrateDatabase(place)).rejects.toThrow(
    /could not be migrated and is as it was before\. .*account.* already exists/,
  )
})

it.runIf(onPostgres)('a migration may take any time, and wait any time for another one', async () => {
  const place = await freshPlace('')
  await inDatabase(place, async (db) => {
    await sql`create table ruled (statement text, lock text)`.execute(db)
    await sql`create function note() returns event_trigger language plpgsql as $$ begin
      insert into ruled values (current_setting('statement_timeout'), current_setting('lock_timeout'));
    end $$`.execute(db)
    await sql`create event trigger note on ddl_command_end execute function note()`.execute(db)
  })
  await migrateDatabase(place)
  const { rows } = await inDatabase(place, (db) => sql`select distinct * from ruled`.execute(db))
  expect(rows).toEqual([{ statement: '0', lock: '0' }])
})
