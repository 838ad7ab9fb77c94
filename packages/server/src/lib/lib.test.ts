import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'
import { makeHandClock } from './hand-clock.ts'
import { newId } from './id.ts'
import { silentLog } from './log.ts'
import { type Again, makeReconciler } from './reconciler.ts'

describe('ids', () => {
  it('sort in the order they were made and never repeat', () => {
    const ids = Array.from({ length: 10_000 }, () => newId())
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids).size).toBe(ids.length)
    for (const id of ids.slice(0, 50))
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  it('keep sorting when the clock goes backwards', () => {
    expect(newId(2_000_000_000_000) < newId(1_000_000_000_000)).toBe(true)
  })
})

describe('back-off', () => {
  it('grows with every failure, within half a second and 72 seconds', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = backoffMs(failures, () => random)
          expect(wait).toBeGreaterThanOrEqual(500)
          expect(wait).toBeLessThanOrEqual(72_000)
          expect(backoffMs(failures + 1, () => random)).toBeGreaterThanOrEqual(wait)
        },
      ),
    )
  })
})

function setUp(
  look: (id: string) => Promise<Again>,
  extra: Partial<Parameters<typeof makeReconciler>[0]> = {},
) {
  const clock = makeHandClock()
  const reconciler = makeReconciler({
    name: 'test',
    look,
    scan: async () => [],
    scanEveryMs: 30_000,
    parallel: 2,
    clock,
    log: silentLog,
    ...extra,
  })
  return { advance: clock.advance, reconciler }
}

describe('the reconciler', () => {
  it('works at one id one look at a time and folds kicks that come meanwhile into one more look', async () => {
    let looks = 0
    let inside = 0
    const { reconciler } = setUp(async () => {
      expect(++inside).toBe(1)
      looks++
      await new Promise((resolve) => setImmediate(resolve))
      inside--
      return 'when-kicked'
    })
    reconciler.kick('a')
    for (let i = 0; i < 20; i++) reconciler.kick('a')
    await new Promise((resolve) => setImmediate(resolve))
    for (let i = 0; i < 20; i++) reconciler.kick('a')
    await reconciler.idle()
    expect(looks).toBeGreaterThanOrEqual(1)
    expect(looks).toBeLessThanOrEqual(3)
  })

  it('runs different ids side by side, but never more than allowed', async () => {
    let inside = 0
    let most = 0
    const seen: string[] = []
    const { reconciler } = setUp(async (id) => {
      most = Math.max(most, ++inside)
      await new Promise((resolve) => setTimeout(resolve, 1))
      seen.push(id)
      inside--
      return 'when-kicked'
    })
    for (let i = 0; i < 50; i++) reconciler.kick(`id-${i}`)
    await reconciler.idle()
    expect(most).toBe(2)
    expect(new Set(seen).size).toBe(50)
  })

  it('looks again after the time a look asked for', async () => {
    let looks = 0
    const { reconciler, advance } = setUp(async () => (++looks < 3 ? { afterMs: 1000 } : 'when-kicked'))
    reconciler.kick('a')
    await reconciler.idle()
    expect(looks).toBe(1)
    await advance(999)
    await reconciler.idle()
    expect(looks).toBe(1)
    await advance(1)
    await reconciler.idle()
    expect(looks).toBe(2)
  })

  it('backs off after failures, tells them, and forgets them after a success', async () => {
    const told: number[] = []
    let fail = true
    const { reconciler, advance } = setUp(
      async () => {
        if (fail) throw new Error('no')
        return 'when-kicked'
      },
      { onFailure: async (_id, _error, failures) => void told.push(failures) },
    )
    reconciler.kick('a')
    await reconciler.idle()
    await advance(700)
    await reconciler.idle()
    expect(told).toEqual([1, 2])
    fail = false
    await advance(100_000)
    await reconciler.idle()
    fail = true
    reconciler.kick('a')
    await reconciler.idle()
    expect(told).toEqual([1, 2, 1])
  })

  it('scans at the start and then regularly, and heals what nobody kicked', async () => {
    const seen: string[] = []
    const { reconciler, advance } = setUp(
      async (id) => {
        seen.push(id)
        return 'when-kicked'
      },
      { scan: async () => ['lost'] },
    )
    await reconciler.start()
    await reconciler.idle()
    await advance(30_000)
    await new Promise((resolve) => setImmediate(resolve))
    await reconciler.idle()
    expect(seen).toEqual(['lost', 'lost'])
  })

  it('takes no new work once stopped', async () => {
    const seen: string[] = []
    const { reconciler } = setUp(async (id) => {
      seen.push(id)
      return 'now'
    })
    reconciler.kick('a')
    await reconciler.stop()
    const count = seen.length
    reconciler.kick('a')
    reconciler.kick('b')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen.length).toBe(count)
  })
})
