// @module-tag both-databases
import { setTimeout } from 'node:timers/promises'
import { projectApi } from '@slipway/contract'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTestApp } from '../app.test-kit.ts'
import { startCluster } from './cluster.test-kit.ts'
import { createDatabase, onPostgres, openBeside, openTestDb } from './database.test-kit.ts'
import { databaseProblem, isUniqueViolation } from './errors.ts'
import { migrate, migrationsOf } from './migrate.ts'
import { type Db, openDatabase } from './open.ts'

describe.runIf(onPostgres)('a database in PostgreSQL', () => {
  it('gives numbers as numbers, whole and added up', async () => {
    const db = await openTestDb()
    const at = { trusted_ms: Date.UTC(2026, 10, 21), watched_ms: 0 }
    await db
      .insertInto('seen_time')
      .values([
        { id: 1, ...at },
        { id: 2, ...at },
      ])
      .execute()
    const { all, total } = await db
      .selectFrom('seen_time')
      .select((e) => [e.fn.countAll<number>().as('all'), e.fn.sum<number>('trusted_ms').as('total')])
      .executeTakeFirstOrThrow()
    expect({ all, total }).toEqual({ all: 2, total: 2 * at.trusted_ms })
    await db.destroy()
  })

  it('compares every text by its bytes, and keeps every real number whole', async () => {
    const db = await openTestDb()
    const { rows } = await sql`
      select table_name, column_name from information_schema.columns
      where table_schema = current_schema() and table_name not like 'kysely%'
        and (data_type = 'text' and collation_name is distinct from 'C' or data_type = 'real')`.execute(db)
    expect(rows).toEqual([])
    await db.destroy()
  })
})

describe.runIf(onPostgres)('two servers on a database', () => {
  it('can be started at once on an empty one', async () => {
    const url = await createDatabase()
    const all = Array.from({ length: 4 }, () => openDatabase({ url }))
    await Promise.all(all.map((db) => migrate(db, null)))
    for (const db of all) expect(await migrationsOf(db)).toEqual({ waiting: [], unknown: [] })
    for (const db of all) await db.destroy()
  })

  it('write one after the other, and read meanwhile', async () => {
    const one = await openTestDb()
    const two = openBeside(one)
    const row = { id: 1, trusted_ms: 0, watched_ms: 0 }
    await one.insertInto('seen_time').values(row).execute()
    const add = (db: Db, pause = async () => {}) =>
      db.transaction().execute(async (tx) => {
        const seen = await tx.selectFrom('seen_time').selectAll().executeTakeFirstOrThrow()
        await pause()
        await tx
          .updateTable('seen_time')
          .set({ trusted_ms: seen.trusted_ms + 1 })
          .execute()
      })
    const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const pausing = add(one, async () => {
      first.resolve()
      await others.promise
    })
    await first.promise
    const all = [pausing, ...Array.from({ length: 20 }, (_, i) => add(i % 2 ? one : two))]
    const alone = two.updateTable('seen_time').set({ watched_ms: 7 }).execute()
    const read = () => two.selectFrom('seen_time').selectAll().executeTakeFirstOrThrow()
    expect(await read()).toEqual(row)
    others.resolve()
    await Promise.all([...all, alone])
    expect(await read()).toEqual({ id: 1, trusted_ms: 21, watched_ms: 7 })
    await two.destroy()
    await one.destroy()
  })

  it('see one moment in a transaction that only reads, and write meanwhile', async () => {
    const one = await openTestDb()
    const two = openBeside(one)
    await one
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        const rows = () => tx.selectFrom('seen_time').selectAll().execute()
        expect(await rows()).toEqual([])
        await two.insertInto('seen_time').values({ id: 1, trusted_ms: 0, watched_ms: 0 }).execute()
        expect(await rows()).toEqual([])
      })
    expect(await one.selectFrom('seen_time').selectAll().execute()).toHaveLength(1)
    await two.destroy()
    await one.destroy()
  })

  it('outlive a connection that is ended in the middle of a transaction, between two statements', async () => {
    const one = await openTestDb()
    const two = openBeside(one)
    const row = { id: 1, trusted_ms: 0, watched_ms: 0 }
    const cut = one.transaction().execute(async (tx) => {
      await tx.insertInto('seen_time').values(row).execute()
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(two)
      // Until its end has been read here.
      await setTimeout(100)
      await tx.insertInto('seen_time').values(row).execute()
    })
    expect(databaseProblem(await cut.catch((error) => error))).toContain('cannot be reached')
    expect(await one.selectFrom('seen_time').selectAll().execute()).toEqual([])
    await two.destroy()
    await one.destroy()
  })

  it('go on when a newer server adds a column meanwhile, to what they have asked for before', async () => {
    const url = await createDatabase()
    const one = openDatabase({ url })
    const newer = openDatabase({ url })
    await migrate(one, null)
    const row = { id: 1, trusted_ms: 0, watched_ms: 0 }
    const all = (db: Db) => db.selectFrom('seen_time').selectAll().execute()
    await one.insertInto('seen_time').values(row).execute()
    const before = () => one.transaction().execute(async (tx) => all(tx))
    for (let i = 0; i < 20; i++) expect(await all(one)).toEqual([row])
    expect(await before()).toEqual([row])
    await sql`alter table seen_time add column since_ms integer`.execute(newer)
    const now = [{ ...row, since_ms: null }]
    for (let i = 0; i < 20; i++) expect(await all(one)).toEqual(now)
    // In a transaction something may have been done already; it is tried again from the beginning.
    expect(databaseProblem(await before().catch((error) => error))).toContain('Try again.')
    expect(await before()).toEqual(now)
    await newer.destroy()
    await one.destroy()
  })

  it('undo what failed half-way, also when nobody minded, and what its server did not end', async () => {
    const one = await openTestDb()
    const two = openBeside(one)
    const row = { id: 1, trusted_ms: 0, watched_ms: 0 }
    const insert = (db: Db) => db.insertInto('seen_time').values(row).execute()
    const both = one.transaction().execute(async (tx) => {
      await insert(tx)
      await insert(tx).catch(() => {})
    })
    await expect(both).rejects.toThrow('rolled back')
    const cut = one.transaction().execute(async (tx) => {
      await insert(tx)
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)
    })
    expect(databaseProblem(await cut.catch((error) => error))).toContain('cannot be reached')
    expect(await two.selectFrom('seen_time').selectAll().execute()).toEqual([])
    await insert(two)
    await insert(one).catch((error) => expect(isUniqueViolation(error)).toBe(true))
    await two.destroy()
    await one.destroy()
  })
})

describe.runIf(onPostgres)('a PostgreSQL of its own', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>
  beforeEach(async () => {
    cluster = await startCluster({ hasty: false })
  })
  afterEach(() => cluster.remove())

  it('that goes away is told as such, and is used again when it is back', async () => {
    const db = openDatabase({ url: cluster.url })
    const ask = () => sql<{ one: number }>`select 1 as one`.execute(db)
    expect((await ask()).rows).toEqual([{ one: 1 }])
    await cluster.stop()
    for (let i = 0; i < 3; i++)
      expect(databaseProblem(await ask().catch((error) => error))).toContain('cannot be reached')
    const torn = db.transaction().execute((tx) => sql`select 1`.execute(tx))
    expect(databaseProblem(await torn.catch((error) => error))).toContain('cannot be reached')
    // A start, which the operator sees.
    await expect(migrate(db, null)).rejects.toThrow(/cannot be reached: .*Check SLIPWAY_DATABASE_URL/)
    await cluster.start()
    expect((await ask()).rows).toEqual([{ one: 1 }])
    await db.destroy()
  })

  it('answers 503 with a sentence while it is away, and nothing is lost', async () => {
    const app = await makeTestApp({ database: { url: cluster.url } })
    const ada = await app.signedIn('Ada')
    const create = (name: string) => ada.call(projectApi.create, { body: { name } })
    expect((await create('before')).status).toBe(201)
    await cluster.stop()
    const away = await create('away')
    expect(away).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('cannot be reached') },
    })
    expect((await ada.call(projectApi.list)).status).toBe(503)
    await app.clock.advance(60_000)
    await cluster.start()
    expect((await create('after')).status).toBe(201)
    const names = (await ada.call(projectApi.list)).body.map(({ name }) => name)
    expect(names.sort()).toEqual(['after', 'before'])
    await app.close()
  })
})
