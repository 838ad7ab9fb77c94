/** Who is connected to what right now, or was a moment ago; by ids. */
import type { Clock } from './clock.ts'

/** So many are remembered after their last use; far more than can be in use at once. */
const remembered = 20_000

export interface Uses {
  /** Somebody is connected until that is called which is returned; more than once does nothing. */
  begin: (id: string) => () => void
  /** Whether anybody is or was connected since a moment of `clock.monotonic()`. */
  isUsedSince: (id: string, monotonic: number) => boolean
}

export function makeUses(clock: Clock): Uses {
  const open = new Map<string, number>()
  const lastEnd = new Map<string, number>()
  return {
    begin(id) {
      open.set(id, (open.get(id) ?? 0) + 1)
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        const left = (open.get(id) ?? 1) - 1
        if (left > 0) open.set(id, left)
        else open.delete(id)
        // The oldest go first: setting it anew puts it last.
        lastEnd.delete(id)
        lastEnd.set(id, clock.monotonic())
        const [oldest] = lastEnd.keys()
        if (lastEnd.size > remembered && oldest !== undefined) lastEnd.delete(oldest)
      }
    },
    isUsedSince: (id, monotonic) =>
      open.has(id) || (lastEnd.get(id) ?? Number.NEGATIVE_INFINITY) >= monotonic,
  }
}
