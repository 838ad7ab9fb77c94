/** Which hosts the server connects to for its users: those of the public Internet, and those the operator lists. */
import type { LookupAddress } from 'node:dns'
import { lookup as lookUp } from 'node:dns/promises'
import { BlockList, isIP, type LookupFunction } from 'node:net'

export interface HostPolicy {
  /** Whether the operator lists this host, by its name or, if it is one, its address. */
  isListed(hostname: string): boolean
  /** Whether this IP address may be connected to. */
  mayConnect(address: string): boolean
  /**
   * For `node:net`: resolves a name to those of its addresses that may be connected to, or fails with `refusal`. What was
   * checked here is what is connected to, so a name that resolves to something else a moment later gains nothing. Names
   * that the operator lists are looked up as the system does, others by `resolve`.
   */
  lookup(refusal: () => Error, resolve?: Resolve): LookupFunction
}

/** Throws a RangeError when an entry of `listed` is no host, address or range. */
export function makeHostPolicy(listed: readonly string[]): HostPolicy {
  const names = new Set<string>()
  const ranges = new BlockList()
  for (const one of listed) {
    const [base = '', prefix] = one.split('/')
    const family = isIP(base)
    if (family === 0) names.add(one.toLowerCase())
    else ranges.addSubnet(base, Number(prefix ?? (family === 4 ? 32 : 128)), family === 4 ? 'ipv4' : 'ipv6')
  }
  const mayConnect = (address: string) => {
    const isPublic = isIP(address) === 4 ? !contains(SPECIAL_V4, address) : isPublicV6(address)
    return isPublic || contains(ranges, address)
  }
  return {
    isListed: (hostname) => names.has(hostname) || contains(ranges, hostname),
    mayConnect,
    lookup:
      (refusal, resolve = askSystem) =>
      (hostname, options, callback) => {
        const isNamed = names.has(hostname)
        const resolved = isNamed ? askSystem(hostname) : resolve(hostname)
        resolved.then(
          (addresses) => {
            // Callers of net.connect may want one address or all; all are asked for, to find one that is allowed.
            const allowed = addresses.filter(
              ({ address, family }) =>
                (isNamed || mayConnect(address)) && (!options.family || options.family === family),
            )
            const [first] = allowed
            if (!first) callback(refusal(), '')
            else if (options.all) callback(null, allowed)
            else callback(null, first.address, first.family)
          },
          (error: NodeJS.ErrnoException) => callback(error, ''),
        )
      },
  }
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>

/** As programs of this machine find hosts; it takes one of a few threads until it ends. */
export const askSystem: Resolve = (hostname) => lookUp(hostname, { all: true })

/** The host as node:net wants it; URLs put IPv6 addresses into brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

const contains = (list: BlockList, address: string) =>
  isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

const isPublicV6 = (address: string) => contains(GLOBAL_V6, address) && !contains(SPECIAL_V6, address)

function rangesOf(family: 'ipv4' | 'ipv6', ranges: readonly [network: string, prefix: number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family)
  return list
}

/**
 * What is not the public Internet: IANA's IPv4 Special-Purpose Address Registry, multicast and what is reserved.
 * The server connects to none of it for its users, and guests do not get there.
 */
export const specialRangesV4: readonly [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8],
  ['169.254.0.0', 16], // link-local, where clouds keep their metadata
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const SPECIAL_V4 = rangesOf('ipv4', specialRangesV4)

/**
 * The only IPv6 addresses given out for the public Internet. Loopback, link-local, unique local and multicast
 * addresses lie outside, and so do those that stand for IPv4 ones (mapped, NAT64).
 */
const GLOBAL_V6 = rangesOf('ipv6', [['2000::', 3]])

/** What IANA's IPv6 Special-Purpose Address Registry takes out of it again. */
const SPECIAL_V6 = rangesOf('ipv6', [
  ['2001::', 23], // Teredo and other protocols
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4, which leads to any IPv4 address
  ['3fff::', 20],
])
