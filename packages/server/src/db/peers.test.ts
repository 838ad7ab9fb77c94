// @module-tag both-databases
import pg from 'pg'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { silentLog } from '../lib/log.ts'
import type { Peers } from '../lib/peers.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open.ts'
import { openPeers } from './peers.ts'

const word = { name: 'word', body: z.string() }
const soon = { timeout: 20_000, interval: 20 }

/** So many servers on a database, and what each of them hears. */
async function openServers(count: number) {
  const url = await createDatabase()
  const db = openDatabase({ url })
  await migrate(db, null)
  await db.destroy()
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const peers = await openPeers({ url, log: silentLog })
      const heard: [string, number][] = []
      peers.hear(word, (body, number) => heard.push([body, number]))
      const gaps = vi.fn()
      peers.onGap(gaps)
      const backs = vi.fn()
      peers.onBack(backs)
      return { peers, heard, gaps, backs }
    }),
  )
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  return {
    url,
    admin,
    servers,
    at(i: number) {
      const one = servers[i]
      if (!one) throw new Error(`there is no server ${i}`)
      return one
    },
    async close() {
      for (const { peers } of servers) await peers.close()
      await admin.end()
    },
  }
}

const words = (heard: readonly [string, number][]) => heard.map(([body]) => body)
const sayMany = (peers: Peers, name: string, count: number) => {
  for (let i = 0; i < count; i++) peers.tell(word, `${name}${i}`)
}

describe.runIf(onPostgres)('servers on one PostgreSQL', () => {
  it('hear all that is told in one order, with the same numbers, each once', async () => {
    const { servers, at, close } = await openServers(3)
    for (const [i, { peers }] of servers.entries()) sayMany(peers, `${i}-`, 400)
    await vi.waitFor(() => {
      for (const { heard } of servers) expect(heard).toHaveLength(1_200)
    }, soon)
    expect(at(1).heard).toEqual(at(0).heard)
    expect(at(2).heard).toEqual(at(0).heard)
    expect(new Set(servers.map(({ peers }) => peers.epoch)).size).toBe(1)
    const numbers = at(0).heard.map(([, number]) => number)
    expect(numbers).toEqual(numbers.map((_, i) => (numbers[0] ?? 0) + i))
    expect(words(at(0).heard).filter((one) => one.startsWith('2-'))).toEqual(
      Array.from({ length: 400 }, (_, i) => `2-${i}`),
    )
    for (const { gaps } of servers) expect(gaps).not.toHaveBeenCalled()
    await close()
  })

  it('do not hear what they tell the others only', async () => {
    const { at, close } = await openServers(2)
    at(0).peers.tellOthers(word, 'for you')
    await vi.waitFor(() => expect(words(at(1).heard)).toEqual(['for you']), soon)
    at(1).peers.tell(word, 'for all')
    await vi.waitFor(() => expect(words(at(1).heard)).toEqual(['for you', 'for all']), soon)
    await vi.waitFor(() => expect(words(at(0).heard)).toEqual(['for all']), soon)
    expect(at(0).peers.position()).toBe(at(1).peers.position())
    await close()
  })

  it('are told each time the database can be reached again', async () => {
    const { admin, at, close } = await openServers(1)
    const end = () =>
      admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'slipway ________-%'`,
      )
    expect(at(0).backs).not.toHaveBeenCalled()
    await end()
    await vi.waitFor(() => expect(at(0).backs).toHaveBeenCalledTimes(1), soon)
    await end()
    await vi.waitFor(() => expect(at(0).backs).toHaveBeenCalledTimes(2), soon)
    await close()
  })

  it('are told that they missed something when their connection was lost meanwhile', async () => {
    const { admin, at, close } = await openServers(2)
    const { rows } = await admin.query(`
      select pid from pg_stat_activity where datname = current_database() and query like 'select epoch%'`)
    expect(rows).toHaveLength(2)
    for (const { pid } of rows) await admin.query('select pg_terminate_backend($1)', [pid])
    at(0).peers.tell(word, 'unheard')
    await vi.waitFor(() => {
      expect(at(1).gaps.mock.calls.length + at(1).heard.length).toBeGreaterThan(0)
    }, soon)
    at(0).peers.tell(word, 'heard')
    await vi.waitFor(() => expect(words(at(1).heard).at(-1)).toBe('heard'), soon)
    await vi.waitFor(() => expect(at(0).peers.position()).toBe(at(1).peers.position()), soon)
    await close()
  })

  it('are told that they may have missed something when another ended without a word, not when it said goodbye', async () => {
    const { url, at, servers, close } = await openServers(3)
    const third = servers.pop()
    await third?.peers.close()
    const dead = new pg.Client({
      connectionString: url,
      application_name: 'slipway 01234567-89ab-4def-8123-456789abcdef',
    })
    await dead.connect()
    // Two looks around: one sees both, the next neither.
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    expect(at(0).gaps).not.toHaveBeenCalled()
    await dead.end()
    await vi.waitFor(() => {
      for (const { gaps } of servers) expect(gaps).toHaveBeenCalledTimes(1)
    }, soon)
    await close()
  })

  it('hear what was told while the database could not be reached, and read anew what was too much', async () => {
    const { admin, at, close } = await openServers(2)
    const end = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'slipway teller'`
    await admin.query(end)
    sayMany(at(0).peers, 'late', 50)
    await vi.waitFor(
      () => expect(words(at(1).heard)).toEqual(Array.from({ length: 50 }, (_, i) => `late${i}`)),
      soon,
    )
    at(0).peers.tell(word, 'x'.repeat(20_000))
    await vi.waitFor(() => expect(at(1).gaps).toHaveBeenCalled(), soon)
    at(0).peers.tell(word, 'after')
    await vi.waitFor(() => expect(words(at(1).heard).at(-1)).toBe('after'), soon)
    await close()
  })

  it('pass over what is no message of theirs', async () => {
    const { admin, at, close } = await openServers(2)
    for (const payload of ['', 'x', '7 {', '7 {"from":"x","said":[["word",7,true]]}', '99 []'])
      await admin.query(`select pg_notify('slipway', $1)`, [payload])
    at(0).peers.tell({ name: 'of a newer version', body: z.number() }, 1)
    // The first one that follows on a made-up number is a gap.
    await vi.waitFor(() => {
      at(0).peers.tell(word, 'known')
      expect(words(at(1).heard).at(-1)).toBe('known')
    }, soon)
    await close()
  })
})
