/** When a disk is full at the rate of the last days. Pure: times are milliseconds since the epoch. */

export interface DiskSample {
  at: number
  usedMb: number
}

/** Fewer samples, or of less time, tell of a single download rather than of a rate. */
const leastSamples = 6
const leastSpanMs = 60 * 60_000
const dayMs = 24 * 60 * 60_000
/** What is further away than that is nobody's plan. */
const farthestMs = 365 * dayMs

export interface Forecast {
  /** By how much the use grows; negative where it shrinks. */
  mbPerDay: number
  /** Null: not within a year. */
  fullAt: number | null
}

/** By the line that fits the samples best; null while there are too few of them. */
export function forecast(samples: readonly DiskSample[], freeMb: number, now: number): Forecast | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || samples.length < leastSamples || last.at - first.at < leastSpanMs) return null
  const meanAt = meanOf(samples.map(({ at }) => at - first.at))
  const meanUsed = meanOf(samples.map(({ usedMb }) => usedMb))
  let [together, spread] = [0, 0]
  for (const { at, usedMb } of samples) {
    const away = at - first.at - meanAt
    together += away * (usedMb - meanUsed)
    spread += away * away
  }
  const mbPerMs = together / spread
  const leftMs = Math.round(Math.max(0, freeMb) / mbPerMs)
  return {
    mbPerDay: mbPerMs * dayMs,
    fullAt: mbPerMs > 0 && leftMs <= farthestMs ? now + leftMs : null,
  }
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
