// @module-tag both-databases
/** The lease of servers on one PostgreSQL. Each has a clock of its own: one that does not move is a server that is gone. */
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startCluster } from './cluster.test-kit.ts'
import { createDatabase, onPostgres } from './database.test-kit.ts'
import { type Contender, contender } from './lease.test-kit.ts'
import { beatMs, type LeaseRow, lookMs, makeWatch, termMs } from './lease-row.ts'
import { migrate } from './migrate.ts'
import { type Db, openDatabase } from './open.ts'

let url: string
let db: Db
const here = new Set<Contender>()
beforeEach(async () => {
  if (!onPostgres) return
  url = await createDatabase()
  db = openDatabase({ url })
  await migrate(db, null)
})
afterEach(async () => {
  for (const one of here) await one.end()
  here.clear()
  await db?.destroy()
})

function server(name: string, at = url): Contender {
  const made = contender(at, name)
  here.add(made)
  return made
}
/** The first, which has it, and the second, which has looked once. */
async function holderAndStandby(at = url) {
  const [holder, standby] = [server('first', at), server('second', at)]
  await holder.wait()
  void standby.wait()
  await standby.clock.advance(0)
  return { holder, standby }
}
const endConnection = () =>
  sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'slipway lease' and datname = current_database()`.execute(db)

describe('a watch over a row', () => {
  const row = (beat: number, number = 1) => ({ number, beat, holder: 'a', home: null })
  /** Looks at these rows, a second after the other; null is a look that failed. */
  function silentAfter(rows: readonly (LeaseRow | null)[]): number {
    const watch = makeWatch()
    return rows.findIndex((one, i) => {
      if (one) return watch.isSilent(one, i * lookMs, i * lookMs + 10)
      watch.failed()
      return false
    })
  }
  const same = (count: number, beat = 1) => Array.from({ length: count }, () => row(beat))

  it('finds that nothing has changed for a term, counted from the first look', () => {
    expect(silentAfter(same(20))).toBe(termMs / lookMs + 1)
    expect(silentAfter([...same(5), row(2), ...same(20, 2)])).toBe(5 + termMs / lookMs + 1)
    expect(silentAfter([...same(5), row(1, 2), ...same(20)])).toBe(6 + termMs / lookMs + 1)
  })

  it('begins anew when a look fails or comes late', () => {
    expect(silentAfter([...same(5), null, ...same(20)])).toBe(6 + termMs / lookMs + 1)
    const watch = makeWatch()
    expect(watch.isSilent(row(1), 0, 10)).toBe(false)
    expect(watch.isSilent(row(1), 10 * termMs, 10 * termMs + 10)).toBe(false)
    // One that was asked for early and answered late.
    expect(watch.isSilent(row(1), 10 * termMs + lookMs, 20 * termMs)).toBe(false)
    expect(watch.isSilent(row(1), 20 * termMs + lookMs, 20 * termMs + lookMs)).toBe(false)
  })
})

describe.runIf(onPostgres)('the lease of servers on one database', () => {
  it('is the first one’s, and the second one’s as soon as that gives it up', async () => {
    const { holder, standby } = await holderAndStandby()
    expect([holder.result(), holder.lease.number(), holder.lease.holder()]).toEqual([1, 1, 'first'])
    for (let i = 0; i < 30; i++) {
      await holder.clock.advance(beatMs)
      await standby.clock.advance(beatMs)
    }
    expect([standby.result(), standby.lease.number(), standby.lease.holder()]).toEqual([null, null, 'first'])
    await holder.lease.release()
    await holder.lease.release()
    await standby.clock.advance(lookMs)
    expect([standby.result(), standby.lease.holder()]).toEqual([2, 'second'])
    expect([holder.lease.number(), holder.lost, standby.lost]).toEqual([null, [], []])
    void holder.wait()
    await standby.lease.release()
    await holder.clock.advance(lookMs)
    expect(holder.result()).toBe(3)
  })

  it('is given to one of many who want it at once', async () => {
    const all = Array.from({ length: 8 }, (_, i) => server(`${i}`))
    for (const one of all) void one.wait()
    for (const one of all) await one.clock.advance(3 * lookMs)
    expect(all.filter((one) => one.result() !== null)).toHaveLength(1)
  })

  it('is another one’s when its holder was not heard of for a term, and that finds out once when it goes on', async () => {
    const { holder, standby } = await holderAndStandby()
    await standby.clock.advance(termMs - lookMs)
    expect(standby.result()).toBeNull()
    await standby.clock.advance(2 * lookMs)
    expect(standby.result()).toBe(2)
    expect(holder.lease.number()).toBe(1)
    await holder.clock.advance(beatMs)
    expect([holder.lease.number(), holder.lease.holder(), holder.lost]).toEqual([
      null,
      'second',
      [expect.stringContaining('second has taken over')],
    ])
    await holder.clock.advance(10 * termMs)
    expect(holder.lost).toHaveLength(1)
    expect([standby.lease.number(), standby.lost]).toEqual([2, []])
  })

  it('stays with a holder whose connection was lost, and comes to one that waits although its was', async () => {
    const { holder, standby } = await holderAndStandby()
    for (let i = 0; i < 10; i++) {
      await endConnection()
      await holder.clock.advance(beatMs)
      await holder.clock.advance(lookMs)
      await standby.clock.advance(lookMs)
      await standby.clock.advance(lookMs)
    }
    expect([holder.lease.number(), holder.lost, standby.result()]).toEqual([1, [], null])
    await holder.lease.release()
    await endConnection()
    await standby.clock.advance(3 * lookMs)
    expect(standby.result()).toBe(2)
  })

  it('is not taken by who could not look for a while: what kept it from looking may have kept the holder from renewing', async () => {
    const { holder, standby } = await holderAndStandby()
    await standby.clock.suspend(10 * termMs)
    await standby.clock.advance(termMs - lookMs)
    await holder.clock.advance(beatMs)
    await standby.clock.advance(termMs - lookMs)
    expect([standby.result(), holder.lease.number(), holder.lost]).toEqual([null, 1, []])
  })

  it('is known again by its holder when the answer that gave it was lost, and by no later process', async () => {
    const first = server('first')
    await first.wait()
    const again = server('first')
    void again.wait()
    await again.clock.advance(0)
    expect(again.result()).toBe(1)
    const later = server('first, later')
    void later.wait()
    await later.clock.advance(0)
    expect(later.result()).toBeNull()
  })

  it('is waited for no longer than its server wants', async () => {
    const { holder, standby } = await holderAndStandby()
    await standby.end()
    await standby.clock.advance(0)
    expect(standby.result()).toBeInstanceOf(Error)
    await holder.lease.release()
    await standby.clock.advance(10 * lookMs)
    expect(standby.lease.number()).toBeNull()
  })
})

describe.runIf(onPostgres)('the lease of a PostgreSQL of its own', () => {
  it('stays with its holder while that is away, however long, and when it is back', async () => {
    const cluster = await startCluster({ hasty: false })
    try {
      const own = openDatabase({ url: cluster.url })
      await migrate(own, null)
      await own.destroy()
      const { holder, standby } = await holderAndStandby(cluster.url)
      await cluster.stop()
      await holder.clock.advance(10 * termMs)
      await standby.clock.advance(10 * termMs)
      expect([holder.lease.number(), standby.result()]).toEqual([1, null])
      await cluster.start()
      // The one that waits is back first.
      await standby.clock.advance(termMs - lookMs)
      await holder.clock.advance(lookMs)
      await standby.clock.advance(termMs - lookMs)
      expect([holder.lease.number(), holder.lost, standby.result()]).toEqual([1, [], null])
      await holder.end()
      await standby.clock.advance(lookMs)
      expect(standby.result()).toBe(2)
      await standby.end()
    } finally {
      await cluster.remove()
    }
  })
})
