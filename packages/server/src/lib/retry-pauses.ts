/** When what is sent to others is tried again: pure, for the plans of whatever is queued. */
const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** Between the tries of one message; together about a day. */
export const pausesMs = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
  10 * hour,
] as const

/** A receiver that says when to come back is believed up to here. */
export const longestAskedMs = 6 * hour

/** How long to wait after a number of tries; null: no more tries. `jitter`: from 0 to 1. */
export function pauseAfter(tries: number, askedMs: number | null, jitter: number): number | null {
  const pause = pausesMs[tries - 1]
  if (pause === undefined) return null
  return Math.max(Math.round(pause * (1 + 0.2 * jitter)), Math.min(askedMs ?? 0, longestAskedMs))
}
