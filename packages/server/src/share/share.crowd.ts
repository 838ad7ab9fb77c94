/** How much of the server's attention one client address gets: many shares, one server. */
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { clientNetworkOf } from '../lib/client-address.ts'

export interface CrowdLimits {
  /** Requests under way and connections, of one address and in all. */
  openOfOne: number
  openInAll: number
  /** Requests of one address in ten seconds: a page may have a thousand parts. */
  requests: number
}

export const crowdLimits: CrowdLimits = { openOfOne: 200, openInAll: 4_000, requests: 5_000 }

export type Place = { leave: () => void } | 'crowded' | 'full'

/**
 * Takes places for requests. Addresses that are exempt have no limit of their own: many people come through one proxy
 * that nobody named.
 */
export function makeCrowd(isExempt: (address: string) => boolean, limits = crowdLimits) {
  const rate = new RateLimiterMemory({ points: limits.requests, duration: 10 })
  const open = new Map<string, number>()
  let inAll = 0

  /** Takes a place at once: those who come while others are still asked about must find it taken. */
  function take(network: string | null): () => void {
    inAll++
    if (network !== null) open.set(network, (open.get(network) ?? 0) + 1)
    let isIn = true
    return () => {
      if (!isIn) return
      isIn = false
      inAll--
      if (network === null) return
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    }
  }

  return {
    async enter(address: string): Promise<Place> {
      if (inAll >= limits.openInAll) return 'full'
      const network = isExempt(address) ? null : clientNetworkOf(address)
      if (network !== null && (open.get(network) ?? 0) >= limits.openOfOne) return 'crowded'
      const leave = take(network)
      const isWithin =
        network === null ||
        (await rate.consume(network).then(
          () => true,
          () => false,
        ))
      if (isWithin) return { leave }
      leave()
      return 'crowded'
    },
  }
}
