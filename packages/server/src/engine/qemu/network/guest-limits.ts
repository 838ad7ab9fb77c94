/**
 * What one guest may take of the connections that the kernel tracks, and of the name server of its project. The table of
 * tracked connections is one for the whole host: when it is full, new connections of everybody fail.
 *
 * The rules have a table of their own, which knows guests by their addresses alone: frames were judged before
 * (`rules.ts`), so nobody sends from another's. The tables that name guests are replaced whenever a guest comes or goes,
 * and a count would begin anew each time.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { ifThere } from '../durable.ts'
import { replaced } from './table.ts'

export interface GuestLimits {
  /** Tracked connections that a guest has begun. */
  connections: number
  /** New ones in a second; twice as many at once. */
  newPerSecond: number
}

/** The operator's limits; null derives one from what the host tracks. */
export type GuestLimitSettings = { [K in keyof GuestLimits]: number | null }

export const derivedLimits: GuestLimitSettings = { connections: null, newPerSecond: null }

/** Documentation of the kernel, "nf_conntrack-sysctl". */
const TRACKED_MOST = '/proc/sys/net/netfilter/nf_conntrack_max'
/** Of a host with little memory. */
const TRACKED_AT_LEAST = 65_536

/** A guest's part of what the host tracks. The kernel looks through all that a guest has at most once in a tick. */
const PART_OF_TRACKED = 64
const SECONDS_TO_LIMIT = 16
const LEAST: GuestLimits = { connections: 256, newPerSecond: 32 }

/** Questions for names in a second and at once; dnsmasq answers most from memory. */
const QUESTIONS_PER_S = 100
const QUESTIONS_AT_ONCE = 300
/** Connections to the name server of a project, which starts a process for each. */
const NAME_CONNECTIONS = 4

/** How many connections this host tracks at most. */
export async function trackedMost(): Promise<number> {
  const text = await ifThere(TRACKED_MOST, readFile(TRACKED_MOST, 'utf8'))
  // The file is missing as long as nobody tracks connections.
  return Number(text) || TRACKED_AT_LEAST
}

/** The limits of each guest of a host that tracks `most` connections. */
export function guestLimits(settings: GuestLimitSettings, most: number): GuestLimits {
  const connections = settings.connections ?? Math.max(LEAST.connections, Math.floor(most / PART_OF_TRACKED))
  const newPerSecond =
    settings.newPerSecond ?? Math.max(LEAST.newPerSecond, Math.floor(connections / SECONDS_TO_LIMIT))
  return { connections, newPerSecond }
}

/** How nft names the address of a guest, or the user that it runs as. */
type Key = { type: 'ipv4_addr'; of: 'ip saddr' } | { type: 'uid'; of: 'meta skuid' }

/** Sets and chains that limit new connections by guest: whoever jumps to `opens` with one returns when it may be made. */
export const connectionLimits = ({ type, of }: Key, { connections, newPerSecond }: GuestLimits): string[] => [
  `set fresh { type ${type}; size 65535; flags dynamic,timeout; timeout 1m; }`,
  `set begun { type ${type}; size 65535; flags dynamic; }`,
  `set full { type ${type}; size 65535; flags dynamic,timeout; timeout 1s; }`,
  `set refused { type ${type}; size 65535; flags dynamic,timeout; timeout 1h; }`,
  'chain opens {',
  // Counting is costly for the kernel when there is much to count.
  `  ${of} @full goto refuse_new`,
  `  update @fresh { ${of} limit rate over ${newPerSecond}/second burst ${2 * newPerSecond} packets } goto refuse_new`,
  `  add @begun { ${of} ct count over ${connections} } add @full { ${of} } goto refuse_new`,
  '}',
  // No answer: a flood would get one for each of its packets.
  'chain refuse_new {',
  `  update @refused { ${of} counter }`,
  '  counter drop',
  '}',
]

/** Family and name of the table in the namespace of project networks. */
export const LIMITS_TABLE = 'inet slipway_limits'

export const limitRules = (limits: GuestLimits): string =>
  replaced(LIMITS_TABLE, [
    ...connectionLimits({ type: 'ipv4_addr', of: 'ip saddr' }, limits),
    'set questions { type ipv4_addr; size 65535; flags dynamic,timeout; timeout 1m; }',
    'set asking { type ifname; size 65535; flags dynamic; }',
    // Connections are known here, and nothing has been let through yet.
    'chain prerouting {',
    '  type filter hook prerouting priority -150; policy accept;',
    // Guests that ask for their address have none: together they are one connection.
    '  iifname "p*" ip saddr != 0.0.0.0 ct state new jump opens',
    '}',
    'chain input {',
    '  type filter hook input priority -10; policy accept;',
    `  iifname "p*" udp dport 53 update @questions { ip saddr limit rate over ${QUESTIONS_PER_S}/second burst ${QUESTIONS_AT_ONCE} packets } goto refuse_new`,
    `  iifname "p*" tcp dport 53 ct state new add @asking { iifname ct count over ${NAME_CONNECTIONS} } goto refuse_new`,
    '}',
  ])

const Listed = z.object({
  nftables: z.array(z.object({ set: z.object({ elem: z.array(z.unknown()).default([]) }).optional() })),
})
const Refused = z.object({
  elem: z.object({ val: z.union([z.string(), z.number()]), counter: z.object({ packets: z.number() }) }),
})

/** Packets that were refused, by address or user; of what `nft -j list set … refused` printed. */
export function readRefused(json: string): Map<string, number> {
  const elements = Listed.parse(JSON.parse(json)).nftables.flatMap(({ set }) => set?.elem ?? [])
  return new Map(
    elements.flatMap((one) => {
      const read = Refused.safeParse(one)
      return read.success ? [[String(read.data.elem.val), read.data.elem.counter.packets] as const] : []
    }),
  )
}
