import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { systemClock } from './clock.ts'
import { errorCode } from './command.ts'
import { withDeadline } from './deadline.ts'
import type { Resolve } from './public-hosts.ts'

/** Whom to ask; a resolver reads it once. */
const SETTINGS = '/etc/resolv.conf'
/** In all, however many name servers this machine has. */
const WITHIN_MS = 8_000

/**
 * Asks name servers without taking a thread: those are few, files need them too, and a name server that belongs to somebody
 * hostile may take long to answer. Names that only this machine knows, as in its hosts file, are not found.
 *
 * @param options for tests: other name servers than those of the settings, and another file that changes with them
 */
export function makeResolve({
  servers,
  withinMs = WITHIN_MS,
  settings = SETTINGS,
}: {
  servers?: () => string[]
  withinMs?: number
  settings?: string
} = {}): Resolve {
  let latest: { resolver: Resolver; of: string } | null = null
  function resolverNow(): Resolver {
    const file = statSync(settings, { throwIfNoEntry: false })
    const of = file ? `${file.ino} ${file.mtimeMs}` : ''
    if (latest?.of === of) return latest.resolver
    const resolver = new Resolver({ timeout: 2_500, tries: 2 })
    if (servers) resolver.setServers(servers())
    latest = { resolver, of }
    return resolver
  }
  return async function resolve(hostname) {
    const family = isIP(hostname)
    if (family !== 0) return [{ address: hostname, family }]
    const resolver = resolverNow()
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
