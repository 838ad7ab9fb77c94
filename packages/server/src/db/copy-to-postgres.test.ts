import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTestAppOver } from '../app.test-kit.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import { run } from '../lib/command.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { ownDirectory } from '../lib/own-directory.ts'
import { copyTables, copyToPostgres } from './copy-to-postgres.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { fill } from './filled.test-kit.ts'
import { migrate } from './migrate.ts'
import { type DatabasePlace, type Db, openDatabase, ownDatabase } from './open.ts'
import { openSqlite } from './sqlite.ts'
import { digestOf, tablesOf } from './tables.ts'

const base = await mkdtemp(path.join(tmpdir(), 'slipway-copy-'))
afterAll(() => rm(base, { recursive: true, force: true }))

/** The names of everything in a database that could hold rows. */
async function relationsIn(url: string): Promise<string[]> {
  const db = openDatabase({ url })
  const { rows } = await sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace`.execute(db)
  await db.destroy()
  return rows.map(({ name }) => name)
}

/** A migrated SQLite file in a data directory of its own. */
async function dataDirectory(name: string, change?: (db: Db) => Promise<unknown>) {
  const dir = path.join(base, name)
  await mkdir(dir)
  const file = path.join(dir, 'slipway.sqlite')
  const db = openSqlite(file)
  await migrate(db, null)
  await change?.(db)
  await db.destroy()
  return { dir, file }
}

describe.runIf(onPostgres)('an installation copied from SQLite into PostgreSQL', () => {
  const clock = makeHandClock()
  const simulated = path.join(base, 'simulated.jsonl')
  const file = path.join(base, 'slipway.sqlite')
  let filled: Awaited<ReturnType<typeof fill>>
  let before: unknown[]
  let url: string

  async function open(database: DatabasePlace) {
    const engine = makeSimulatedEngine({ clock, file: simulated })
    await engine.open()
    return makeTestAppOver({ clock, engine, passTime: () => clock.advance(60_000) }, { database })
  }
  const listed = async (app: Awaited<ReturnType<typeof open>>) => {
    const again = app.client(filled.cookie)
    const answers = []
    for (const list of filled.lists) answers.push({ list, answer: await again.raw('GET', list) })
    return answers.map(({ list, answer: { status, body } }) => ({ list, status, body }))
  }

  beforeAll(async () => {
    const app = await open({ file })
    filled = await fill(app)
    await app.close()
    // What was under way comes to its end first, and a server that was just started has measured nothing yet.
    const rested = await open({ file })
    await clock.advance(60_000)
    await rested.restart()
    before = await listed(rested)
    await rested.close()
    url = await createDatabase()
  })

  it('has every row of every table', async () => {
    const bytes = await readFile(file)
    const copied = await copyToPostgres({ file }, { url })
    expect(copied.filter(({ rows }) => rows === 0)).toEqual([])
    const [from, to] = [openDatabase({ file }, { readOnly: true }), openDatabase({ url }, { readOnly: true })]
    const inSqlite = await sql<{ name: string }>`select name from sqlite_master
      where type = 'table' and name not like 'kysely%' order by name`.execute(from)
    expect(copied.map(({ table }) => table)).toEqual(inSqlite.rows.map(({ name }) => name))
    for (const table of await tablesOf(from)) {
      const [original, copy] = [from, to].map((db) =>
        sql`select * from ${sql.table(table.name)} order by ${sql.join(table.key.map((key) => sql.ref(key)))}`.execute(
          db,
        ),
      )
      expect((await copy)?.rows).toEqual((await original)?.rows.map((row) => ({ ...(row as object) })))
    }
    await from.destroy()
    await to.destroy()
    expect(await readFile(file)).toEqual(bytes)
  })

  it('answers the same lists to who was signed in, and goes on', async () => {
    const app = await open({ url })
    expect(await listed(app)).toEqual(before)
    const created = await app.client(filled.cookie).raw('POST', '/api/projects', { name: 'afterwards' })
    expect(created.status).toBe(201)
    await app.close()
  })

  it('is not copied where something is already, and that stays as it is', async () => {
    const mine = await createDatabase()
    const db = openDatabase({ url: mine })
    await sql`create table mine (id integer primary key)`.execute(db)
    await sql`create table ours (id integer primary key)`.execute(db)
    await db.destroy()
    const tables = await relationsIn(mine)
    await expect(copyToPostgres({ file }, { url: mine })).rejects.toThrow(
      /is not empty: it has the table mine and 1 more. Create another database and set SLIPWAY_DATABASE_URL/,
    )
    await expect(copyToPostgres({ file }, { url })).rejects.toThrow(/is not empty: it has the table account/)
    expect(await relationsIn(mine)).toEqual(tables)
  })
})

describe.runIf(onPostgres)('a copy that is refused leaves nothing in PostgreSQL', () => {
  const refused = async (file: string, reason: RegExp) => {
    const url = await createDatabase()
    await expect(copyToPostgres({ file }, { url })).rejects.toThrow(reason)
    expect(await relationsIn(url)).toEqual([])
  }

  it('when a newer version has written the file', async () => {
    const { file } = await dataDirectory('newer', (db) =>
      sql`insert into kysely_migration (name, timestamp) values ('9999-later', '')`.execute(db),
    )
    await refused(file, /newer version of Slipway \(it has 9999-later\). Copy with that version/)
  })

  it('when an earlier version has written the file, or nobody has', async () => {
    const { file } = await dataDirectory('earlier', (db) =>
      sql`delete from kysely_migration where name like '0008%'`.execute(db),
    )
    await refused(
      file,
      /earlier version of Slipway \(it lacks 0008-.*\). Start the server of this version once/,
    )
    const empty = path.join(base, 'empty.sqlite')
    await openSqlite(empty).destroy()
    await refused(empty, /it lacks 0001-first, /)
  })

  it('when PostgreSQL cannot store a row: it names the table', async () => {
    const { file } = await dataDirectory('nul', (db) =>
      sql`insert into account (id, name, email, password_hash, created_at)
        values ('a', 'nul' || char(0), 'e', 'x', '')`.execute(db),
    )
    await refused(file, /The table account could not be copied: .*Nothing was changed/)
  })

  it('when a row refers to nothing', async () => {
    const { file } = await dataDirectory('torn', async (db) => {
      await sql`pragma foreign_keys=off`.execute(db)
      await sql`insert into project (id, account_id, name, description, created_at)
        values ('p', 'nobody', 'p', '', '')`.execute(db)
    })
    await refused(file, /foreign key/)
  })

  it('when a table is only in one of them: a migration has to make the same in both', async () => {
    const { file } = await dataDirectory('more', (db) =>
      sql`create table later (id integer primary key)`.execute(db),
    )
    await refused(file, /The tables of the two databases differ/)
  })

  it.each([
    ['has another value', sql`new.name := upper(new.name); return new;`, /another checksum/],
    ['is missing', sql`return null;`, /has 0 rows and the original 1/],
  ])('when what is stored %s', async (_what, does, reason) => {
    const { file } = await dataDirectory(`changed-${String(reason).length}`, (db) =>
      sql`insert into account (id, name, email, password_hash, created_at) values ('a', 'ada', 'e', 'x', '')`.execute(
        db,
      ),
    )
    const [from, to] = [openSqlite(file, { readOnly: true }), openDatabase({ url: await createDatabase() })]
    await migrate(to, null)
    await sql`create function change() returns trigger language plpgsql as $$ begin ${does} end $$`.execute(
      to,
    )
    await sql`create trigger change before insert on account for each row execute function change()`.execute(
      to,
    )
    const copy = to.transaction().execute((tx) => copyTables(from, tx))
    await expect(copy).rejects.toThrow(reason)
    for (const table of await tablesOf(to)) expect((await digestOf(to, table)).rows).toBe(0)
    await from.destroy()
    await to.destroy()
  })
})

describe.runIf(onPostgres)('npm run database -- copy', () => {
  const program = path.join(import.meta.dirname, '../database.ts')
  const copy = (dir: string, url: string, ...args: string[]) =>
    run(process.execPath, [program, ...(args.length ? args : ['copy'])], {
      env: { SLIPWAY_DATA_DIR: dir, SLIPWAY_DATABASE_URL: url },
    })

  it('says what it copied and what to do next, and gives both back', async () => {
    const { dir } = await dataDirectory('whole', (db) =>
      sql`insert into account (id, name, email, password_hash, created_at) values ('a', 'ada', 'e', 'x', '')`.execute(
        db,
      ),
    )
    const url = await createDatabase()
    const said = await copy(dir, url)
    expect(said).toMatch(/^account +1$/m)
    expect(said).toMatch(/Copied 1 rows of \d+ tables; counts and checksums/)
    expect(said).toContain('Start the server with the same SLIPWAY_DATABASE_URL.')
    await (await ownDirectory(dir))()
    await (await ownDatabase({ url }, () => {}))()
  })

  it('is refused while a server uses the data directory, or the PostgreSQL database', async () => {
    const { dir } = await dataDirectory('used')
    const url = await createDatabase()
    const leaveDirectory = await ownDirectory(dir)
    await expect(copy(dir, url)).rejects.toThrow(/Another Slipway server .*is using .*used. Stop it first/)
    await leaveDirectory()
    const leaveDatabase = await ownDatabase({ url }, () => {})
    await expect(copy(dir, url)).rejects.toThrow(
      /Another Slipway server is using this database. Stop it first/,
    )
    await leaveDatabase()
    expect(await relationsIn(url)).toEqual([])
    await copy(dir, url)
  })

  it('is refused without a SQLite file, and makes no directory for one', async () => {
    const dir = path.join(base, 'nowhere')
    await expect(copy(dir, await createDatabase())).rejects.toThrow(
      /No SQLite database found in .*SLIPWAY_DATA_DIR/,
    )
    expect(await readdir(base)).not.toContain('nowhere')
  })

  it('is refused without a URL, and by any other word', async () => {
    const { dir } = await dataDirectory('words')
    await expect(copy(dir, '')).rejects.toThrow('Set SLIPWAY_DATABASE_URL to an empty PostgreSQL database')
    await expect(copy(dir, await createDatabase(), 'move')).rejects.toMatchObject({
      stderr: expect.stringContaining('Usage: npm run database -- copy'),
    })
  })
})
