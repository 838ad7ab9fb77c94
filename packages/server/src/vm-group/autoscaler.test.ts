import { type ScalingPolicy, scalingDefaults } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { autoscale, type LoadSample, type PoolNow } from './autoscaler.ts'

const policy = scalingDefaults
const start = 1_700_000_000_000
const at = (seconds: number) => start + seconds * 1000
const pool = (change: Partial<PoolNow> = {}): PoolNow => ({
  min: 1,
  desired: 2,
  max: 4,
  held: 0,
  sizedAt: null,
  ...change,
})

/** Samples every 15 s, the last one now. */
function samples(...cpu: (number | null)[]): { list: LoadSample[]; now: number } {
  const list = cpu.map((value, i) => ({ at: at((i + 1) * 15), cpu: value }))
  return { list, now: list.at(-1)?.at ?? start }
}
const ask = (cpu: (number | null)[], change: Partial<PoolNow> = {}, own: ScalingPolicy = policy) => {
  const { list, now } = samples(...cpu)
  return autoscale(own, pool(change), list, now)
}

describe('the autoscaler', () => {
  it('adds a VM after 60 s above 75 %, and says with which numbers', () => {
    expect(ask([80, 82, 84])).toEqual({
      do: 'hold',
      why: 'CPU 84 %, above 75 % for 45 s; a VM is added after 60 s.',
    })
    expect(ask([80, 82, 84, 82])).toEqual({
      do: 'scale',
      to: 3,
      why: 'CPU 82 % over 60 s, above 75 %: 2 to 3',
    })
  })

  it('removes a VM after 300 s below 20 %', () => {
    expect(ask(Array(19).fill(5))).toMatchObject({ do: 'hold' })
    expect(ask(Array(20).fill(5))).toEqual({
      do: 'scale',
      to: 1,
      why: 'CPU 5 % over 300 s, below 20 %: 2 to 1',
    })
  })

  it('removes no VM while all are protected against deletion, and says so', () => {
    expect(ask(Array(20).fill(5), { held: 1 })).toMatchObject({ do: 'scale', to: 1 })
    expect(ask(Array(20).fill(5), { held: 2 })).toEqual({
      do: 'hold',
      why: 'CPU 5 %, below 20 %, but all VMs are protected against deletion.',
    })
    expect(ask([80, 82, 84, 82], { held: 2 })).toMatchObject({ do: 'scale', to: 3 })
  })

  it('begins to count again after a sample that does not fit, or is not known', () => {
    expect(ask([80, 80, 40, 80]).do).toBe('hold')
    expect(ask([80, 80, null, 80]).do).toBe('hold')
    expect(ask([...Array(10).fill(5), null, ...Array(9).fill(5)])).toEqual({
      do: 'hold',
      why: 'CPU 5 %, below 20 % for 135 s; a VM is removed after 300 s.',
    })
  })

  it('counts only what is above or below a limit, and nothing that is older than it has to be', () => {
    expect(ask([75, 75, 75, 75]).why).toBe('CPU 75 %, between 20 % and 75 %.')
    expect(ask(Array(20).fill(20)).why).toBe('CPU 20 %, between 20 % and 75 %.')
    expect(ask([75, 80, 80, 80]).why).toContain('above 75 % for 45 s')
    expect(ask([20, ...Array(19).fill(5)]).why).toContain('below 20 % for 285 s')
    expect(ask([100, 80, 82, 84, 82]).why).toContain('CPU 82 % over 60 s')
  })

  it('holds and says so when the load is not known', () => {
    const why = 'The CPU usage of the running VMs is unknown, so the pool is not scaled.'
    expect(ask([80, 80, 80, 80, null])).toEqual({ do: 'hold', why })
    expect(autoscale(policy, pool(), [], start)).toEqual({ do: 'hold', why })
    const { list, now } = samples(80, 80, 80, 80)
    expect(autoscale(policy, pool(), list, now + 30_000).do).toBe('scale')
    expect(autoscale(policy, pool(), list, now + 30_001)).toEqual({ do: 'hold', why })
  })

  it('takes no step across a gap in the samples', () => {
    const after = (gap: number) => {
      const list = [0, 15, 15 + gap].map((s) => ({ at: at(s), cpu: 90 }))
      return autoscale(policy, pool(), list, at(15 + gap)).do
    }
    expect([after(30), after(30.001)]).toEqual(['scale', 'hold'])
  })

  it('pauses for 120 s after every change of size', () => {
    const now = samples(90, 90, 90, 90).now
    expect(ask([90, 90, 90, 90], { sizedAt: now - 100_000 })).toEqual({
      do: 'hold',
      why: 'The size changed recently. The next change is possible in 20 s.',
    })
    expect(ask([90, 90, 90, 90], { sizedAt: now }).why).toContain('possible in 120 s')
    expect(ask(Array(8).fill(90), { sizedAt: start }).do).toBe('scale')
  })

  it('does not pause until a clock that was set back has reached the last change of size again', () => {
    const now = samples(90, 90, 90, 90).now
    expect(ask([90, 90, 90, 90], { sizedAt: now + 3 * 3_600_000 })).toMatchObject({ do: 'scale', to: 3 })
  })

  it('does not judge the new size by what was measured at the old one', () => {
    const impatient = { ...policy, pause_s: 0 }
    const sized = (sizedAt: number) => ask([90, 90, 90, 90], { sizedAt }, impatient)
    expect(sized(start).do).toBe('scale')
    expect(sized(start + 1).why).toContain('above 75 % for 45 s')
    expect(sized(at(60) - 1).why).toContain('above 75 % for 0 s')
  })

  it('stays between the limits, and never goes below one VM', () => {
    expect(ask([90, 90, 90, 90], { desired: 4 })).toEqual({
      do: 'hold',
      why: 'CPU 90 %, above 75 %, but the pool is at its maximum of 4.',
    })
    expect(ask(Array(20).fill(1), { min: 0, desired: 1 })).toEqual({
      do: 'hold',
      why: 'CPU 1 %, below 20 %, and the pool is at its minimum of 1.',
    })
    expect(ask(Array(20).fill(1), { min: 2 }).why).toContain('at its minimum of 2')
  })

  it('does not remove a VM that it would have to add again', () => {
    const narrow = { ...policy, down_below: 60 }
    expect(ask(Array(20).fill(50), { desired: 2 }, narrow)).toEqual({
      do: 'hold',
      why: 'CPU 50 %, below 60 %, but 1 would run at 100 %.',
    })
    expect(ask([...Array(19).fill(30), 50, 30], {}, narrow).why).toContain('would run at 100 %')
    expect(ask(Array(20).fill(37.5), {}, narrow).do).toBe('scale')
    expect(ask(Array(20).fill(50), { desired: 4 }, narrow)).toMatchObject({ do: 'scale', to: 3 })
  })

  it('names a share so that it never reads as the limit itself', () => {
    expect(ask([75.2, 75.2, 75.2, 75.2]).why).toContain('CPU 75.2 % over 60 s, above 75 %')
  })
})

const anyPolicy = fc
  .record({
    sample_every_s: fc.integer({ min: 1, max: 30 }),
    down_below: fc.integer({ min: 1, max: 50 }),
    gap: fc.integer({ min: 1, max: 45 }),
    up_after_s: fc.integer({ min: 1, max: 200 }),
    down_after_s: fc.integer({ min: 1, max: 400 }),
    pause_s: fc.integer({ min: 0, max: 300 }),
  })
  .map(({ gap, ...rest }) => ({ ...rest, up_above: rest.down_below + gap }))

const anyPool = fc
  .tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 8 }))
  .map((sizes) => sizes.sort((a, b) => a - b))
  .map(([min = 0, middle = 0, top = 0]) => {
    const max = Math.max(1, top)
    return { min: Math.min(min, max), max, desired: Math.min(max, Math.max(1, min, middle)) }
  })

/** Load that jumps, sticks, goes missing; time that stutters. */
const anyTicks = fc.array(
  fc.record({
    load: fc.option(fc.double({ min: 0, max: 100, noNaN: true }), { freq: 8 }),
    repeat: fc.integer({ min: 1, max: 12 }),
    late: fc.integer({ min: 0, max: 60_000 }),
  }),
  { maxLength: 40 },
)

interface Walked {
  sizes: { at: number; size: number }[]
  verdicts: string[]
}

function walk(
  policy: ScalingPolicy,
  first: typeof anyPool extends fc.Arbitrary<infer P> ? P : never,
  ticks: typeof anyTicks extends fc.Arbitrary<infer T> ? T : never,
): Walked {
  let now = start
  let sizedAt: number | null = null
  let desired = first.desired
  const samples: LoadSample[] = []
  const walked: Walked = { sizes: [], verdicts: [] }
  for (const tick of ticks) {
    for (let i = 0; i < tick.repeat; i++) {
      now += policy.sample_every_s * 1000 + (i === 0 ? tick.late : 0)
      samples.push({ at: now, cpu: tick.load })
      const verdict = autoscale(policy, { ...first, desired, held: 0, sizedAt }, samples, now)
      walked.verdicts.push(verdict.why)
      if (verdict.do === 'scale') {
        expect(Math.abs(verdict.to - desired)).toBe(1)
        expect(tick.load === null).toBe(false)
        desired = verdict.to
        sizedAt = now
        walked.sizes.push({ at: now, size: desired })
      }
    }
  }
  return walked
}

describe('under any load and any clock', () => {
  it('a pool stays within its limits, takes one step at a time and none within the pause', () => {
    fc.assert(
      fc.property(anyPolicy, anyPool, anyTicks, (policy, first, ticks) => {
        const { sizes } = walk(policy, first, ticks)
        for (const [i, { at: when, size }] of sizes.entries()) {
          expect(size).toBeGreaterThanOrEqual(Math.max(1, first.min))
          expect(size).toBeLessThanOrEqual(first.max)
          const before = sizes[i - 1]
          if (before) expect(when - before.at).toBeGreaterThanOrEqual(policy.pause_s * 1000)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('the same samples give the same decisions', () => {
    fc.assert(
      fc.property(anyPolicy, anyPool, anyTicks, (policy, first, ticks) => {
        expect(walk(policy, first, ticks)).toEqual(walk(policy, first, ticks))
      }),
    )
  })

  it('a steady total load is never answered with a step and its opposite in turn', () => {
    fc.assert(
      fc.property(
        anyPolicy,
        anyPool,
        fc.double({ min: 0, max: 800, noNaN: true }),
        (policy, first, total) => {
          let now = start
          let sizedAt: number | null = null
          let desired = first.desired
          const samples: LoadSample[] = []
          const directions: number[] = []
          for (let i = 0; i < 2000; i++) {
            now += policy.sample_every_s * 1000
            samples.push({ at: now, cpu: Math.min(100, total / desired) })
            const verdict = autoscale(
              policy,
              { ...first, desired, held: 0, sizedAt },
              samples.slice(-500),
              now,
            )
            if (verdict.do === 'hold') continue
            directions.push(verdict.to - desired)
            desired = verdict.to
            sizedAt = now
          }
          expect(new Set(directions).size).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 60 },
    )
  })
})
