import { RateLimiterMemory } from 'rate-limiter-flexible'
import { clientNetworkOf } from '../../lib/client-address.ts'
import { makeTally } from './tally.ts'
import { makeWaitingRoom } from './waiting-room.ts'

/** How much the gateway puts up with. An address is an IPv4 address or a /64 network of IPv6. */
export const usualLimits = {
  connections: 2000,
  connectionsPerAddress: 500,
  connectionsPerAccount: 100,
  /** Connections that have not proven a known key yet. When there are more, the gateway drops one of them. */
  waiting: 300,
  waitingPerAddress: 100,
  /** Connections of one address within a minute that ended without a sign-in. */
  failuresPerMinute: 30,
  /** OpenSSH offers one key after the other. */
  triesPerConnection: 20,
  /** Time to prove a known key. */
  graceMs: 30_000,
  /** Time from then on until the guest has let the gateway in. */
  guestGraceMs: 45_000,
  /** Channels of one connection that ends at the gateway: tunnels to VMs, and sessions that are told something. */
  tunnelsPerConnection: 64,
  sessionsPerConnection: 10,
  tunnelsPerAccount: 256,
  /** New tunnels of an account; each is looked up and recorded by the server. */
  tunnelsPerMinute: 600,
}

export type Limits = ReturnType<typeof makeLimits>

/** A connection that was admitted. */
export interface Place {
  /**
   * A known key was proven. The connection counts for the first of the accounts that has room; null when none has,
   * and then it has to end.
   */
  known(accountIds: readonly string[]): string | null
  /** It is in, and may stay for as long as it likes. */
  signedIn(): void
  over(): void
}

/** Counts connections and tunnels; `limits` are others than the usual ones. */
export function makeLimits(limits: Partial<typeof usualLimits> = {}) {
  const most = { ...usualLimits, ...limits }
  const failures = new RateLimiterMemory({ points: most.failuresPerMinute, duration: 60 })
  const newTunnels = new RateLimiterMemory({ points: most.tunnelsPerMinute, duration: 60 })
  const byAddress = makeTally()
  const byAccount = makeTally()
  const tunnelsByAccount = makeTally()
  const waiting = makeWaitingRoom(most.waiting)
  let all = 0

  return {
    ...most,

    /**
     * Lets a connection begin. `end` is called when it has to make room or did not sign in in time. Null when there
     * is no room for it.
     */
    async admit(address: string, end: () => void): Promise<Place | null> {
      const source = clientNetworkOf(address)
      const failed = (await failures.get(source))?.consumedPoints ?? 0
      if (failed >= most.failuresPerMinute || all >= most.connections) return null
      if (byAddress.of(source) >= most.connectionsPerAddress) return null
      if (waiting.of(source) >= most.waitingPerAddress) return null
      all += 1
      const leaveAddress = byAddress.add(source)
      const leaveWaiting = waiting.enter(source, end)
      let leaveAccount = () => {}
      let timer = setTimeout(end, most.graceMs).unref()
      let isIn = false
      let isOver = false
      return {
        known(accountIds) {
          leaveWaiting()
          const accountId = accountIds.find((id) => byAccount.of(id) < most.connectionsPerAccount)
          if (accountId === undefined || isOver) return null
          leaveAccount()
          leaveAccount = byAccount.add(accountId)
          clearTimeout(timer)
          timer = setTimeout(end, most.guestGraceMs).unref()
          return accountId
        },
        signedIn() {
          isIn = true
          leaveWaiting()
          clearTimeout(timer)
        },
        over() {
          if (isOver) return
          isOver = true
          all -= 1
          clearTimeout(timer)
          leaveAddress()
          leaveWaiting()
          leaveAccount()
          // Over the limit it rejects, which is what `get` tells next time.
          if (!isIn) failures.consume(source).catch(() => {})
        },
      }
    },

    /** Lets a tunnel begin. Returns the way to say that it is over, or why there can be no more of them. */
    async openTunnel(accountId: string): Promise<(() => void) | string> {
      if (tunnelsByAccount.of(accountId) >= most.tunnelsPerAccount)
        return `Your account has ${most.tunnelsPerAccount} tunnels open, which is the limit. Close some and try again.`
      const leave = tunnelsByAccount.add(accountId)
      try {
        await newTunnels.consume(accountId)
        return leave
      } catch {
        leave()
        return `Your account opened more than ${most.tunnelsPerMinute} tunnels within a minute. Wait a minute and try again.`
      }
    },
  }
}
