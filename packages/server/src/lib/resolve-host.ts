import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { systemClock } from './clock.ts'
import { errorCode } from './command.ts'
import { withDeadline } from './deadline.ts'
import type { Resolve } from './public-hosts.ts'

/** In all, however many name servers this machine has. */
const WITHIN_MS = 8_000

/**
 * Asks name servers without taking a thread: those are few, files need them too, and a name server that belongs to somebody
 * hostile may take long to answer. Names that only this machine knows, as in its hosts file, are not found.
 */
export function makeResolve({
  servers,
  withinMs = WITHIN_MS,
}: {
  servers?: string[]
  withinMs?: number
} = {}): Resolve {
  const resolver = new Resolver({ timeout: 2_500, tries: 2 })
  if (servers) resolver.setServers(servers)
  return async function resolve(hostname) {
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family }]
    const asked = [resolver.resolve4(hostname), resolver.resolve6(hostname)].map((answer) =>
      withDeadline(answer, withinMs, 'Resolving a host name', systemClock),
    )
    const [v4, v6] = await Promise.allSettled(asked)
    const found: LookupAddress[] = [
      ...(v4?.status === 'fulfilled' ? v4.value.map((address) => ({ address, family: 4 })) : []),
      ...(v6?.status === 'fulfilled' ? v6.value.map((address) => ({ address, family: 6 })) : []),
    ]
    if (found.length > 0) return found
    const isAnswered = [v4, v6].every((one) => one?.status === 'rejected' && isAnswer(one.reason))
    throw Object.assign(new Error(`${hostname} could not be resolved`, { cause: [v4, v6] }), {
      code: isAnswered ? 'ENOTFOUND' : 'EAI_AGAIN',
    })
  }
}

/** Whether a name server said that there is nothing; else the same question may be answered later. */
const isAnswer = (error: unknown): boolean => ['ENOTFOUND', 'ENODATA'].includes(errorCode(error) ?? '')
