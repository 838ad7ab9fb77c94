/**
 * When a pool grows and when it shrinks: a pure function of what was measured, the policy and the time. The same
 * samples give the same answer, so any decision can be replayed.
 */
import type { ScalingPolicy } from '@slipway/contract'

export interface LoadSample {
  /** Milliseconds since the epoch; the sample is the mean over the time since the one before. */
  at: number
  /** Mean CPU use of the running members, from 0 to 100; null when it could not be known. */
  cpu: number | null
}

export interface PoolNow {
  min: number
  desired: number
  max: number
  /** How many members are protected against deletion. */
  held: number
  /** When the desired size last changed, by whomever; null when it never did. */
  sizedAt: number | null
}

/** `to` is the next desired size, always one more or one less. */
export type Verdict = { do: 'scale'; to: number; why: string } | { do: 'hold'; why: string }

const hold = (why: string): Verdict => ({ do: 'hold', why })

/** @param samples oldest first */
export function autoscale(
  policy: ScalingPolicy,
  known: PoolNow,
  samples: readonly LoadSample[],
  now: number,
): Verdict {
  // A change in the future: the clock was set back, and nobody can tell when it was.
  const pool = known.sizedAt !== null && known.sizedAt > now ? { ...known, sizedAt: null } : known
  const everyMs = policy.sample_every_s * 1000
  const last = samples.at(-1)
  if (!last || last.cpu === null || now - last.at > 2 * everyMs) {
    return hold('The CPU usage of the running VMs is unknown, so the pool is not scaled.')
  }
  const pauseMs = pool.sizedAt === null ? 0 : pool.sizedAt + policy.pause_s * 1000 - now
  if (pauseMs > 0)
    return hold(`The size changed recently. The next change is possible in ${Math.ceil(pauseMs / 1000)} s.`)

  // What was measured before the last change of size tells of another pool.
  const valid = samples.filter(({ at }) => pool.sizedAt === null || at - everyMs >= pool.sizedAt)
  const { up_above, up_after_s, down_below, down_after_s } = policy
  if (last.cpu > up_above) {
    const seen = stretch(valid, everyMs, up_after_s, (cpu) => cpu > up_above)
    const over = `CPU ${percent(last.cpu, up_above)}, above ${up_above} %`
    if (pool.desired >= pool.max) return hold(`${over}, but the pool is at its maximum of ${pool.max}.`)
    if (!seen.complete) return hold(`${over} for ${seen.seconds} s; a VM is added after ${up_after_s} s.`)
    return step(
      pool,
      pool.desired + 1,
      `CPU ${percent(seen.mean, up_above)} over ${up_after_s} s, above ${up_above} %`,
    )
  }
  if (last.cpu < down_below) {
    const floor = Math.max(1, pool.min)
    const seen = stretch(valid, everyMs, down_after_s, (cpu) => cpu < down_below)
    const under = `CPU ${percent(last.cpu, down_below)}, below ${down_below} %`
    if (pool.desired <= floor) return hold(`${under}, and the pool is at its minimum of ${floor}.`)
    if (pool.desired <= pool.held) return hold(`${under}, but all VMs are protected against deletion.`)
    if (!seen.complete)
      return hold(`${under} for ${seen.seconds} s; a VM is removed after ${down_after_s} s.`)
    // Fewer VMs carry the same load: a step that would call for the opposite one is not taken.
    const afterwards = (seen.highest * pool.desired) / (pool.desired - 1)
    if (afterwards > up_above) {
      return hold(`${under}, but ${pool.desired - 1} would run at ${Math.round(afterwards)} %.`)
    }
    return step(
      pool,
      pool.desired - 1,
      `CPU ${percent(seen.mean, down_below)} over ${down_after_s} s, below ${down_below} %`,
    )
  }
  return hold(`CPU ${Math.round(last.cpu)} %, between ${down_below} % and ${up_above} %.`)
}

const step = (pool: PoolNow, to: number, why: string): Verdict => ({
  do: 'scale',
  to,
  why: `${why}: ${pool.desired} to ${to}`,
})

/** A share that never reads as if it were the limit it is above or below. */
const percent = (value: number, limit: number): string =>
  `${Math.round(value) === limit ? value.toFixed(1) : Math.round(value)} %`

interface Stretch {
  /** Whether the samples, without a gap, go back as far as asked. */
  complete: boolean
  /** How far they go back. */
  seconds: number
  mean: number
  highest: number
}

/** The latest samples in a row that fit, up to so many seconds of them. */
function stretch(
  samples: readonly LoadSample[],
  everyMs: number,
  seconds: number,
  fits: (cpu: number) => boolean,
): Stretch {
  const values: number[] = []
  let from = samples.at(-1)?.at ?? 0
  const end = from
  for (const sample of samples.toReversed()) {
    if (sample.cpu === null || !fits(sample.cpu) || from - sample.at > 2 * everyMs) break
    values.push(sample.cpu)
    from = sample.at
    if (end - from + everyMs >= seconds * 1000) break
  }
  const reach = values.length === 0 ? 0 : end - from + everyMs
  return {
    complete: reach >= seconds * 1000,
    seconds: Math.round(reach / 1000),
    mean: values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length),
    highest: Math.max(0, ...values),
  }
}
