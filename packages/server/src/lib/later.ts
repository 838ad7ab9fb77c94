import { setImmediate } from 'node:timers/promises'
import { inBackground } from './in-background.ts'
import type { Log } from './log.ts'

export interface Later {
  /** Queues work behind the answer of the present request. Returns false, without queueing it, when too much waits. */
  add: (what: string, work: () => Promise<void>) => boolean
  /** Resolves when all that was queued has settled. */
  idle: () => Promise<void>
}

/**
 * Work that begins once the answer has left, one piece after the other, so that the time of an answer tells nothing
 * about it. Failures are logged.
 *
 * @param places - how many pieces may be under way or wait
 */
export function makeLater(places: number, log: Pick<Log, 'error'>): Later {
  let last: Promise<void> = Promise.resolve()
  let taken = 0
  return {
    add(what, work) {
      if (taken >= places) return false
      taken++
      // Answers are written before the next turn of the event loop.
      const turn = last.then(() => setImmediate()).then(work)
      const settle = () => {
        taken--
      }
      last = turn.then(settle, settle)
      inBackground(log, what, turn)
      return true
    },
    idle: () => last,
  }
}
