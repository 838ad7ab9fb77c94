import { isIPv6 } from 'node:net'
import { RateLimiterMemory } from 'rate-limiter-flexible'

/** How much of strangers is put up with. */
const most = {
  connections: 2000,
  /** Not signed in yet. */
  waiting: 300,
  waitingPerAddress: 100,
  /** Connections of one address within a minute that ended without a sign-in. */
  failuresPerMinute: 30,
  /** OpenSSH offers one key after the other. */
  triesPerConnection: 20,
  /** Time to sign in, the guest's share of it included. */
  graceMs: 45_000,
}

export type Limits = ReturnType<typeof makeLimits>

/** Counts connections; `limits` are others than the usual ones. */
export function makeLimits(limits: Partial<typeof most> = {}) {
  const { connections, waiting, waitingPerAddress, failuresPerMinute, triesPerConnection, graceMs } = {
    ...most,
    ...limits,
  }
  const failures = new RateLimiterMemory({ points: failuresPerMinute, duration: 60 })
  const waitingFrom = new Map<string, number>()
  let all = 0
  let allWaiting = 0

  function count(source: string, change: 1 | -1): void {
    allWaiting += change
    const now = (waitingFrom.get(source) ?? 0) + change
    if (now === 0) waitingFrom.delete(source)
    else waitingFrom.set(source, now)
  }

  return {
    triesPerConnection,

    /**
     * Lets a connection begin and calls `onGraceOver` when it has not signed in in time. Returns what to call when
     * it has, and when it is over; null when there is no room for it.
     */
    async admit(
      address: string,
      onGraceOver: () => void,
    ): Promise<{ signedIn(): void; over(): void } | null> {
      const source = sourceOf(address)
      const failed = (await failures.get(source))?.consumedPoints ?? 0
      if (failed >= failuresPerMinute || all >= connections || allWaiting >= waiting) return null
      if ((waitingFrom.get(source) ?? 0) >= waitingPerAddress) return null
      all += 1
      count(source, 1)
      let isIn = false
      const timer = setTimeout(onGraceOver, graceMs).unref()
      const arrive = () => {
        clearTimeout(timer)
        count(source, -1)
      }
      return {
        signedIn() {
          isIn = true
          arrive()
        },
        over() {
          all -= 1
          if (isIn) return
          arrive()
          // Over the limit it rejects, which is what `get` tells next time.
          failures.consume(source).catch(() => {})
        },
      }
    },
  }
}

/** Who has one address of IPv6 has as many as he likes of the same network. */
const sourceOf = (address: string): string =>
  isIPv6(address) && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address
