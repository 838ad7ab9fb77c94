import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTestAppOver } from '../app.test-kit.ts'
import { makeSimulatedEngine } from '../engine/simulated/simulated.ts'
import { fill } from '../filled.test-kit.ts'
import { run } from '../lib/command.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { ownDirectory } from '../lib/own-directory.ts'
import { copyTables, copyToPostgres } from './copy-to-postgres.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { migrate } from './migrate.ts'
import { type DatabasePlace, type Db, openDatabase } from './open.ts'
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
    // Those of running servers are made anew, where they run.
    const ofServers = ['lease', 'revision']
    expect([...copied.map(({ table }) => table), ...ofServers].sort()).toEqual(
      inSqlite.rows.map(({ name }) => name),
    )
    for (const name of ofServers)
      expect((await sql`select * from ${sql.table(name)}`.execute(to)).rows).toEqual([])
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

describe.runIf(onPostgres)(
  'a copy into a database that somebody else begins to use at the same moment',
  () => {
    const account = (db: Db, id: string) =>
      sql`insert into account (id, name, email, password_hash, created_at) values (${id}, 'ada', 'e', 'x', '')`.execute(
        db,
      )
    const accountsIn = async (url: string) => {
      const db = openDatabase({ url })
      const rows = await db.selectFrom('account').select('id').execute()
      await db.destroy()
      return rows.map(({ id }) => id)
    }

    it('is made by one of two who copy, whole, and refused to the other', async () => {
      const files = await Promise.all(
        ['a', 'b'].map(async (id) => (await dataDirectory(`race-${id}`, (db) => account(db, id))).file),
      )
      const url = await createDatabase()
      const copies = await Promise.allSettled(files.map((file) => copyToPostgres({ file }, { url })))
      expect(copies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
      const winner = copies.findIndex(({ status }) => status === 'fulfilled')
      expect(copies[1 - winner]).toMatchObject({
        reason: { message: expect.stringContaining('is not empty') },
      })
      expect(await accountsIn(url)).toEqual([['a', 'b'][winner]])
    })

    it('is there whole for a server that starts meanwhile, or refused because that was quicker', async () => {
      const { file } = await dataDirectory('race-server', (db) => account(db, 'a'))
      for (const waits of [0, 0, 5, 10, 20, 40]) {
        const url = await createDatabase()
        const db = openDatabase({ url })
        const start = sleep(waits).then(() => migrate(db, null))
        const [copy] = await Promise.allSettled([copyToPostgres({ file }, { url }), start])
        await start
        if (copy.status === 'rejected') expect(copy.reason.message).toContain('is not empty')
        expect(await accountsIn(url)).toEqual(copy.status === 'fulfilled' ? ['a'] : [])
        await db.destroy()
      }
    })
  },
)

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
      sql`delete from kysely_migration where name like '0011%'`.execute(db),
    )
    await refused(
      file,
      /earlier version of Slipway \(it lacks 0011-.*\). Start the server of this version once/,
    )
    const empty = path.join(base, 'empty.sqlite')
    await openSqlite(empty).destroy()
    await refused(empty, /it lacks 0001-first, /)
  })

  it('when PostgreSQL cannot store a text: it says which, and how to mend it', async () => {
    const { file } = await dataDirectory('null', (db) =>
      sql`insert into account (id, name, email, password_hash, created_at)
        values ('a', 'nu' || char(0) || 'll', 'e', 'x', '')`.execute(db),
    )
    let mend = ''
    const url = await createDatabase()
    await copyToPostgres({ file }, { url }).catch((error: Error) => {
      expect(error.message).toMatch(/^The table account could not be copied: name has a null character/)
      mend = /update account set .* where id = 'a'/.exec(error.message)?.[0] ?? ''
    })
    expect(await relationsIn(url)).toEqual([])
    const db = openSqlite(file)
    await sql.raw(mend).execute(db)
    await db.destroy()
    const copied = await copyToPostgres({ file }, { url })
    expect(copied.find(({ table }) => table === 'account')?.rows).toBe(1)
    const to = openDatabase({ url })
    expect(await to.selectFrom('account').select('name').execute()).toEqual([{ name: 'nu' }])
    await to.destroy()
  })

  it('when PostgreSQL cannot store a number: it names the table', async () => {
    const { file } = await dataDirectory('large', (db) =>
      sql`insert into template (id, name, description, image_id, default_cpu, default_memory_mb, created_at)
        values ('t', '', '', '', 1, 9007199254740991, '')`.execute(db),
    )
    await refused(file, /The table template could not be copied: .*out of range.*Nothing was changed/)
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

  it('says what it copied and what to do next, and gives the directory back', async () => {
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
  })

  it('is refused while a server uses the data directory, and where one has used the PostgreSQL database', async () => {
    const { dir } = await dataDirectory('used')
    const url = await createDatabase()
    const leaveDirectory = await ownDirectory(dir)
    await expect(copy(dir, url)).rejects.toThrow(/Another Slipway server .*is using .*used. Stop it first/)
    await leaveDirectory()
    expect(await relationsIn(url)).toEqual([])
    const db = openDatabase({ url })
    await migrate(db, null)
    await db.destroy()
    await expect(copy(dir, url)).rejects.toThrow(/is not empty: it has the table account/)
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
