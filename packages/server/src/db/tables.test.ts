// @module-tag both-databases
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onPostgres, openTestDb } from './database.test-kit.ts'
import { isForeignKeyViolation } from './errors.ts'
import type { Db } from './open.ts'
import { digestOf, insertInAnyOrder, insertRows, makeDigest, type Row, rowsOf, tablesOf } from './tables.ts'

let db: Db
beforeEach(async () => {
  db = await openTestDb()
})
afterEach(() => db.destroy())

async function tableOf(name: string, from = db) {
  const table = (await tablesOf(from)).find((one) => one.name === name)
  if (!table) throw new Error(`no table ${name}`)
  return table
}

const at = '2026-01-01T00:00:00.000Z'
const account = (id: string) => ({
  id,
  name: id,
  email: id,
  password_hash: 'x',
  email_verified_at: null,
  disabled_at: null,
  created_at: at,
})
const project = (id: string, account_id: string) => ({
  id,
  account_id,
  name: id,
  description: '',
  created_at: at,
  internet: 1 as const,
})

describe('the tables of a database', () => {
  it('are those that the migrations made, each with the key that orders its rows', async () => {
    const keys = Object.fromEntries((await tablesOf(db)).map(({ name, key }) => [name, key.join(' ')]))
    expect(keys).toMatchObject({
      account: 'id',
      session: 'token_hash',
      idempotency_key: 'account_id endpoint key',
      usage_sample: 'owner_id at',
    })
    expect(Object.keys(keys).filter((name) => /kysely|sqlite/.test(name))).toEqual([])
  })

  it('are read whole and in order, a few rows at a time, whatever their key is made of', async () => {
    const sample = {
      running: 1,
      cpu: 12.5,
      memory_mb: null,
      disk_read: 0.1,
      disk_write: 1e15,
      net_in: 0,
      net_out: 3,
    }
    const keys = ['B', 'a', 'É', 'z'].flatMap((owner_id) =>
      Array.from({ length: 150 }, (_, i) => ({ owner_id, at: String(i).padStart(3, '0') })),
    )
    await db
      .insertInto('usage_sample')
      .values(keys.map((key) => ({ ...key, ...sample })).reverse())
      .execute()
    const table = await tableOf('usage_sample')
    const parts: (readonly Row[])[] = []
    for await (const rows of rowsOf(db, table)) parts.push(rows)
    expect(Math.max(...parts.map((rows) => rows.length))).toBeLessThan(keys.length)
    expect(parts.flat().map(({ owner_id, at }) => ({ owner_id, at }))).toEqual(
      ['B', 'a', 'z', 'É'].flatMap((owner) => keys.filter(({ owner_id }) => owner_id === owner)),
    )
    expect(parts.flat()[0]).toEqual({ owner_id: 'B', at: '000', ...sample })
  })

  it('have a checksum that changes with every value, and with nothing else', async () => {
    await db.insertInto('account').values(account('a')).execute()
    const table = await tableOf('account')
    const before = await digestOf(db, table)
    expect(before.rows).toBe(1)
    await db.updateTable('account').set({ disabled_at: '' }).execute()
    expect((await digestOf(db, table)).sha256).not.toBe(before.sha256)
    await db.updateTable('account').set({ disabled_at: null }).execute()
    expect(await digestOf(db, table)).toEqual(before)
  })

  it('refuse a checksum of what is neither text nor a number: it would not be the same in both databases', () => {
    const digest = makeDigest({ name: 't', columns: ['id', 'bytes'], key: ['id'] })
    // What a driver gives is not checked by types.
    const row = { id: 'a', bytes: new Uint8Array(2) } as unknown as Row
    expect(() => digest.add([row])).toThrow('t.bytes holds what is neither text nor a number')
  })
})

describe('rows inserted in any order', () => {
  const insert = (account_id: string) =>
    db.transaction().execute(async (tx) => {
      const tables = { project: await tableOf('project', tx), account: await tableOf('account', tx) }
      await insertInAnyOrder(tx, async () => {
        await insertRows(tx, tables.project, [[project('p', account_id)]])
        await insertRows(tx, tables.account, [[account('a')]])
      })
    })

  it('may refer to what comes later', async () => {
    await insert('a')
    expect((await db.selectFrom('project').selectAll().execute()).map(({ id }) => id)).toEqual(['p'])
  })

  it('are refused all together when what they refer to never comes, and references are as strict as before', async () => {
    expect(isForeignKeyViolation(await insert('b').catch((error: unknown) => error))).toBe(true)
    expect(await db.selectFrom('account').selectAll().execute()).toEqual([])
    await insert('a')
    let failure: unknown = null
    const late = db.transaction().execute(async (tx) => {
      await tx
        .insertInto('project')
        .values(project('q', 'c'))
        .execute()
        .catch((error: unknown) => {
          failure = error
        })
      throw new Error('undone')
    })
    await expect(late).rejects.toThrow()
    expect(isForeignKeyViolation(failure)).toBe(true)
  })

  it.runIf(onPostgres)('may keep references that are looked at when the transaction ends', async () => {
    const undo = new Error('nothing of this stays')
    const done = db.transaction().execute(async (tx) => {
      await sql`create table later (of text references account (id) deferrable initially deferred)`.execute(
        tx,
      )
      await insertInAnyOrder(tx, async () => {})
      await sql`set constraints all deferred`.execute(tx)
      await sql`insert into later values ('nobody yet')`.execute(tx)
      throw undo
    })
    await expect(done).rejects.toBe(undo)
  })

  const plans = ['enable_hashjoin = on', 'enable_nestloop = off', 'enable_indexscan = off']
  it.runIf(onPostgres).each(plans)(
    'are followed by the next number that the database gives out, with %s',
    async (planner) => {
      const undo = new Error('nothing of this stays')
      const done = db.transaction().execute(async (tx) => {
        await sql.raw(`set local ${planner}`).execute(tx)
        await sql`create table ticket (id bigint generated always as identity primary key, n serial, t text)`.execute(
          tx,
        )
        await sql`create table unused (id bigint generated always as identity primary key)`.execute(tx)
        const ticket = await tableOf('ticket', tx)
        await insertInAnyOrder(tx, () =>
          insertRows(tx, ticket, [
            [
              { id: 7, n: 20, t: '' },
              { id: 41, n: 3, t: '' },
            ],
          ]),
        )
        await sql`insert into ticket (t) values ('next')`.execute(tx)
        await sql`insert into unused default values`.execute(tx)
        expect((await sql`select id, n from ticket where t = 'next'`.execute(tx)).rows).toEqual([
          { id: 42, n: 21 },
        ])
        expect((await sql`select id from unused`.execute(tx)).rows).toEqual([{ id: 1 }])
        throw undo
      })
      await expect(done).rejects.toBe(undo)
    },
  )
})
