import { isoTime } from '../lib/clock.ts'

/** Snapshots that were not taken when they were due. */
export interface Missed {
  count: number
  /** When the first and the last of them were due. */
  since: string
  until: string
  /** Why the last of them was missed. */
  reason: string
}

/** What is older is not told any more. */
const toldMs = 7 * 24 * 60 * 60_000

/** Those that are told: none, when the last was missed more than a week ago. */
export const stillTold = (missed: Missed | null, nowMs: number): Missed | null =>
  missed && nowMs - Date.parse(missed.until) <= toldMs ? missed : null

/** Those that were missed, and some more; null when there are no more. */
export function missedWith(
  known: Missed | null,
  { missed, reason }: { missed: readonly number[]; reason: string },
  nowMs: number,
): Missed | null {
  const last = missed.at(-1)
  if (last === undefined) return null
  const [first = last] = missed
  const before = stillTold(known, nowMs)
  return {
    count: (before?.count ?? 0) + missed.length,
    since: before?.since ?? isoTime(first),
    until: isoTime(last),
    reason,
  }
}
