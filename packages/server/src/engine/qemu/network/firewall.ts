import { getServers } from 'node:dns'
import { run } from '../../../lib/command.ts'
import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import { specialRangesV4 } from '../../../lib/public-hosts.ts'
import { EngineError } from '../../engine.ts'
import { type GuestUsers, sharedUser } from '../guest-users.ts'
import { connectionLimits, type GuestLimits, readRefused } from './guest-limits.ts'
import { type Ensured, makeTable, type Nft, replaced } from './table.ts'

/** The one nftables table that is ours. */
const TABLE = 'slipway'
const NFT_MS = 10_000
/** A look costs four milliseconds of a processor. */
const LOOK_MS = 3000

/**
 * The rules that keep guests away from this host. Other programs may flush them at any time, as
 * `systemctl reload nftables` does, so they are looked at again and again and put back.
 */
export function makeFirewall({
  nft,
  resolvers,
  before = sharedUser,
}: {
  nft: Nft
  resolvers: () => readonly string[]
  /** The user of guests that an earlier version started, and that run on. */
  before?: () => Promise<number | null>
}) {
  const table = makeTable(
    nft,
    `inet ${TABLE}`,
    (listing) => /meta skuid .* jump guests/.test(listing) && listing.includes('oifname "lo" counter'),
  )
  let last: Promise<unknown> = Promise.resolve()

  async function putInForce(users: GuestUsers, limits: GuestLimits): Promise<Ensured> {
    const shared = await before()
    const all = shared === null ? [users] : [{ first: shared, count: 1 }, users]
    return table.ensure(ruleset(all, resolvers(), limits))
  }

  return {
    /**
     * Sees to it that the rules hold for these users, exactly as they were written. Throws an `EngineError` when they
     * cannot be put in force; then no guest may start.
     */
    ensure(users: GuestUsers, limits: GuestLimits): Promise<Ensured> {
      const mine = last.then(() => putInForce(users, limits))
      last = mine.catch(() => {})
      return mine.catch((cause: unknown) => {
        throw new EngineError(
          'internal',
          'The firewall rules that protect this host from guests could not be applied. Check nftables on the host.',
          { retryable: true, cause },
        )
      })
    },

    /** Packets by which guests were to begin connections beyond their limits, by user. */
    async refused(): Promise<Map<number, number>> {
      if (!table.isInForce()) return new Map()
      const printed = await nft(['-n', '-j', 'list', 'set', 'inet', TABLE, 'refused'])
      return new Map([...readRefused(printed)].map(([user, packets]) => [Number(user), packets]))
    },
  }
}

/** That of this host. */
export const firewall = makeFirewall({
  nft: (args, input) => run('nft', args, { timeoutMs: NFT_MS, ...(input === undefined ? {} : { input }) }),
  resolvers: () => getServers().map((server) => server.replace(/:\d+$/, '')),
})

/**
 * Looks at the rules every few seconds while there is a guest, puts them back and says so. Returns the way to stop.
 */
export function watchFirewall(deps: {
  ensure: () => Promise<Ensured>
  isNeeded: () => boolean
  log: Pick<Log, 'warn' | 'error'>
  everyMs?: number
}): () => void {
  const { ensure, isNeeded, log } = deps
  let looking = false

  async function look(): Promise<void> {
    if (looking || !isNeeded()) return
    looking = true
    try {
      if ((await ensure()) !== 'put back') return
      log.warn('The firewall rules for guests were missing or changed and have been put back')
    } finally {
      looking = false
    }
  }
  const timer = setInterval(
    () => inBackground(log, 'looking at the firewall rules', look()),
    deps.everyMs ?? LOOK_MS,
  )
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * The rules, as nft reads them; they replace the table in one step. Connections to a guest come from outside and
 * their answers pass; `lo` stands for every address of this host and for the other guests.
 */
export function ruleset(
  users: readonly GuestUsers[],
  resolvers: readonly string[],
  limits: GuestLimits,
): string {
  const ids = users.map(({ first, count }) => (count === 1 ? `${first}` : `${first}-${first + count - 1}`))
  const v4 = resolvers.filter((address) => /^[\d.]+$/.test(address))
  const internal = specialRangesV4.map(([network, prefix]) => `${network}/${prefix}`)
  const dns =
    v4.length > 0 ? [`ip daddr { ${v4.join(', ')} } meta l4proto { tcp, udp } th dport 53 accept`] : []
  const rules = [
    'ct state established,related accept',
    'ct state new jump opens',
    ...dns,
    'oifname "lo" counter jump refuse',
    `ip daddr { ${internal.join(', ')} } counter jump refuse`,
    'meta nfproto ipv6 counter jump refuse',
  ]
  return replaced(`inet ${TABLE}`, [
    ...connectionLimits({ type: 'uid', of: 'meta skuid' }, limits),
    'chain output {',
    '  type filter hook output priority 0; policy accept;',
    `  meta skuid { ${[...new Set(ids)].join(', ')} } jump guests`,
    '}',
    'chain refuse {',
    '  meta l4proto tcp reject with tcp reset',
    '  reject',
    '}',
    'chain guests {',
    ...rules.map((rule) => `  ${rule}`),
    '}',
  ])
}
