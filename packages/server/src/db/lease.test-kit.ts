/** Servers that want the lease of one database, each on a clock of its own, which the test moves. */
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { makeLease } from './lease.ts'

export function contender(url: string, name: string, home: string | null = null) {
  const clock = makeHandClock()
  const lost: string[] = []
  const lease = makeLease({ url, name, home, clock, log: silentLog, onLost: (reason) => lost.push(reason) })
  const ends = new AbortController()
  let result: number | Error | null = null
  return {
    lease,
    clock,
    /** The reasons it was told for losing the lease. */
    lost,
    /** Begins to wait; what came of it is in `result`. */
    wait() {
      result = null
      return lease.take(ends.signal).then(
        (number) => {
          result = number
        },
        (error: Error) => {
          result = error
        },
      )
    },
    /** The number it was given, or why it was not; null while it waits. */
    result: () => result,
    async end() {
      ends.abort()
      await lease.release()
    },
  }
}
export type Contender = ReturnType<typeof contender>
