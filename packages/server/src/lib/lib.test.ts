import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { backoffMs } from './backoff.ts'
import { makeHandClock } from './hand-clock.ts'
import { idFloor, newId } from './id.ts'
import { silentLog } from './log.ts'
import { type Again, makeReconciler } from './reconciler.ts'

// Ids never go back, and some of these are of years to come.
afterAll(() => void vi.resetModules())

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

  it('sort behind an id of another process, however fast its clock is, and no older one holds them back', () => {
    const other = `${idFloor(3_000_000_000_000)}-7ffe-8000-000000000000`
    const ids = [other, newId(1, other), newId(1, other), newId(1, '018bcfe5-6800-7000-8000-000000000000')]
    expect([...ids].sort()).toEqual(ids)
    expect(ids[2]?.startsWith(idFloor(3_000_000_000_001))).toBe(true)
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
    within: (act) => act(),
    ...extra,
  })
  return { advance: clock.advance, reconciler }
}

/** A reconciler whose looks are listed, and do whatever else is said; `times` is how often an id was looked at. */
function setUpSeen(
  look: (id: string, times: number) => Again | Promise<Again> = () => 'when-kicked',
  extra?: Parameters<typeof setUp>[1],
) {
  const seen: string[] = []
  const timesOf = (id: string) => seen.filter((one) => one === id).length
  const looking = async (id: string) => {
    seen.push(id)
    return look(id, timesOf(id))
  }
  return { seen, ...setUp(looking, extra) }
}
const never = <T>() => new Promise<T>(() => {})

describe('the reconciler', () => {
  it('works at one id one look at a time and folds kicks that come meanwhile into one more look', async () => {
    let looks = 0
    let inside = 0
    const { reconciler } = setUp(async () => {
      expect(++inside).toBe(1)
      looks++
      await setImmediate()
      inside--
      return 'when-kicked'
    })
    reconciler.kick('a')
    for (let i = 0; i < 20; i++) reconciler.kick('a')
    await setImmediate()
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
    const { reconciler, advance, seen } = setUpSeen((_, times) =>
      times < 3 ? { afterMs: 1000 } : 'when-kicked',
    )
    reconciler.kick('a')
    for (const [ms, looks] of [
      [0, 1],
      [999, 1],
      [1, 2],
    ] as const) {
      await advance(ms)
      await reconciler.idle()
      expect(seen).toHaveLength(looks)
    }
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

  it('looks at once at what failed when told that what was in the way may be gone, and at nothing else', async () => {
    let isAway = true
    const { reconciler, advance, seen } = setUpSeen((id) => {
      if (id === 'well') return { afterMs: 3_600_000 }
      if (isAway) throw new Error('away')
      return 'when-kicked'
    })
    reconciler.kick('well')
    reconciler.kick('a')
    await advance(300_000)
    isAway = false
    seen.length = 0
    reconciler.retry()
    await advance(0)
    expect(seen).toEqual(['a'])
    reconciler.retry()
    await advance(80_000)
    expect(seen).toEqual(['a'])
    expect(reconciler.stats()).toMatchObject({ failing: 0 })
  })

  it('scans at the start and then regularly, and heals what nobody kicked', async () => {
    const { reconciler, advance, seen } = setUpSeen(undefined, { scan: async () => ['lost'] })
    await reconciler.start()
    await reconciler.idle()
    await advance(30_000)
    await setImmediate()
    await reconciler.idle()
    expect(seen).toEqual(['lost', 'lost'])
  })

  it('takes no new work once stopped', async () => {
    const { reconciler, seen } = setUpSeen(() => 'now')
    reconciler.kick('a')
    await reconciler.stop()
    const count = seen.length
    reconciler.kick('a')
    reconciler.kick('b')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(seen.length).toBe(count)
  })

  it('abandons a look that does not end, gives its place to others and looks again after the back-off', async () => {
    const { reconciler, advance, seen } = setUpSeen(
      (id, times) => (id.startsWith('hung') && times === 1 ? never() : 'when-kicked'),
      { limitMs: 30_000 },
    )
    for (const id of ['hung-1', 'hung-2', 'well']) reconciler.kick(id)
    await advance(29_999)
    expect(seen).toEqual(['hung-1', 'hung-2'])
    await advance(1)
    expect(seen).toEqual(['hung-1', 'hung-2', 'well'])
    expect(reconciler.stats()).toMatchObject({ abandoned: 2, abandonedUnderWay: 2, failing: 2, working: 0 })
    await advance(700)
    expect(seen.slice(3).sort()).toEqual(['hung-1', 'hung-2'])
    expect(reconciler.stats()).toMatchObject({ abandoned: 2, failing: 0, looks: 5, failed: 2 })
  })

  it('hurries past the looks of others that do not end, and cuts short one at the same id', async () => {
    const { reconciler, advance, seen } = setUpSeen((id, times) =>
      times === 1 && id !== 'well' ? never() : 'when-kicked',
    )
    for (const id of ['hung-1', 'hung-2', 'well']) reconciler.kick(id)
    await advance(10_000)
    expect(seen).toEqual(['hung-1', 'hung-2'])
    reconciler.hurry('well')
    await advance(0)
    expect(seen).toEqual(['hung-1', 'hung-2', 'well'])
    reconciler.hurry('hung-1')
    reconciler.hurry('hung-1')
    await advance(1_999)
    expect(seen).toEqual(['hung-1', 'hung-2', 'well'])
    await advance(1)
    expect(seen).toEqual(['hung-1', 'hung-2', 'well', 'hung-1'])
    expect(reconciler.stats()).toMatchObject({ abandoned: 1, abandonedUnderWay: 1, failing: 0, working: 1 })
  })

  it('leaves a look alone that ends soon after somebody hurried', async () => {
    const looks: (() => void)[] = []
    const { reconciler, advance } = setUp(async () => {
      await new Promise<void>((resolve) => looks.push(resolve))
      return 'when-kicked'
    })
    reconciler.kick('a')
    await advance(0)
    reconciler.hurry('a')
    looks[0]?.()
    await advance(0)
    expect(looks).toHaveLength(2)
    await advance(5_000)
    expect(reconciler.stats()).toMatchObject({ abandoned: 0, working: 1 })
  })

  it.each(['resolves', 'rejects'] as const)(
    'is not moved by an abandoned look that %s late',
    async (ending) => {
      let end = (): void => {}
      let looks = 0
      const told: number[] = []
      const { reconciler, advance } = setUp(
        async () => {
          looks++
          if (looks > 1) return { afterMs: 5_000 }
          await new Promise<void>((resolve, reject) => {
            end = ending === 'resolves' ? resolve : () => reject(new Error('late'))
          })
          return 'now'
        },
        { limitMs: 1_000, onFailure: async (_id, _error, failures) => void told.push(failures) },
      )
      reconciler.kick('a')
      await advance(1_000)
      await advance(700)
      expect(looks).toBe(2)
      end()
      await advance(4_000)
      expect(looks).toBe(2)
      expect(told).toEqual([1])
      expect(reconciler.stats()).toMatchObject({ abandoned: 1, abandonedUnderWay: 0, failed: 1 })
      await advance(1_000)
      expect(looks).toBe(3)
    },
  )

  it('goes on when a failure cannot be stored because storing it never ends', async () => {
    const bounds = { limitMs: 1_000, parallel: 1, onFailure: never<void> }
    const { reconciler, advance, seen } = setUpSeen(() => Promise.reject(new Error('no')), bounds)
    reconciler.kick('a')
    reconciler.kick('b')
    await advance(1_000)
    expect(seen).toEqual(['a', 'b'])
  })

  it('scans one at a time and folds what is asked for meanwhile into one more scan', async () => {
    let inside = 0
    let scans = 0
    const ends: (() => void)[] = []
    const { reconciler } = setUp(async () => 'when-kicked', {
      async scan() {
        expect(++inside).toBe(1)
        scans++
        await new Promise<void>((resolve) => ends.push(resolve))
        inside--
        return []
      },
    })
    const first = reconciler.start()
    for (let i = 0; i < 5; i++) reconciler.rescan()
    expect(scans).toBe(1)
    ends[0]?.()
    await first
    await setImmediate()
    expect(scans).toBe(2)
    ends[1]?.()
    await setImmediate()
    expect(scans).toBe(2)
  })

  it('abandons a scan that does not end, and scans again when it is due', async () => {
    let scans = 0
    const scan = async () => (++scans === 1 ? never<string[]>() : ['lost'])
    const { reconciler, advance, seen } = setUpSeen(undefined, { limitMs: 1_000, scan })
    const started = reconciler.start()
    await advance(1_000)
    await started
    expect(reconciler.stats()).toMatchObject({ scansFailedInARow: 1 })
    await advance(30_000)
    expect(seen).toEqual(['lost'])
    expect(reconciler.stats()).toMatchObject({ scansFailedInARow: 0 })
  })

  it('tells what it looked at last, what waits and what fails', async () => {
    const { reconciler, advance } = setUp(
      async (id) => {
        if (id === 'broken') throw new Error('no')
        if (id === 'slow') await never()
        return 'when-kicked'
      },
      { parallel: 1 },
    )
    for (const id of ['broken', 'well', 'slow', 'next']) reconciler.kick(id)
    await setImmediate()
    expect(reconciler.stats()).toMatchObject({
      name: 'test',
      queued: 1,
      working: 1,
      failing: 1,
      failuresInARow: 1,
      lastLook: { id: 'well' },
      looks: 2,
      failed: 1,
      abandoned: 0,
    })
    await advance(120_000)
    expect(reconciler.stats()).toMatchObject({ queued: 0, working: 0, abandoned: 1 })
  })

  it('does not wait for ever for a look when it is stopped', async () => {
    const { reconciler, advance } = setUp(never<Again>)
    reconciler.kick('a')
    const stopped = reconciler.stop()
    await advance(20_000)
    await stopped
  })
})
