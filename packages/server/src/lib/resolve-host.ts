import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import type { Resolve } from './public-hosts.ts'

/**
 * Asks name servers without taking a thread: those are few, files need them too, and a name server that belongs to somebody
 * hostile may take long to answer. Names that only this machine knows, as in its hosts file, are not found.
 */
export function makeResolve(): Resolve {
  const resolver = new Resolver({ timeout: 2_500, tries: 2 })
  return async function resolve(hostname) {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
    const found: LookupAddress[] = [
      ...(v4.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (found.length > 0) return found
    throw Object.assign(new Error(`${hostname} could not be resolved`, { cause: [v4, v6] }), {
      code: 'ENOTFOUND',
    })
  }
}
