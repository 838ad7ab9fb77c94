import { BlockList, isIP } from 'node:net'

/**
 * What limits count by: an IPv4 address, also one that came as `::ffff:192.0.2.1`, or the /64 network of an IPv6
 * address, because whoever has one address of a network has all of them.
 */
export function clientNetworkOf(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (isIP(plain) !== 6) return plain
  const groups = ipv6Groups(plain)
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.')
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address. */
function ipv6Groups(address: string): number[] {
  // URLs have one spelling of each address, without a dotted tail.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [before = [], after = []] = canonical.split('::').map((half) => half.split(':').filter(Boolean))
  const gap = Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...gap, ...after].map((group) => Number.parseInt(group, 16))
}

/** Names for ranges that may stand in place of an address. */
const namedRanges: Record<string, readonly string[]> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Whether an address is in a list of addresses, ranges such as `10.0.0.0/8`, and the names `loopback`, `linklocal`
 * and `uniquelocal`. Throws when an entry is none of them.
 */
export function makeAddressList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries.flatMap((one) => namedRanges[one] ?? [one])) {
    const [base = '', prefix] = entry.split('/')
    const version = isIP(base)
    const bits = prefix === undefined ? (version === 4 ? 32 : 128) : Number(prefix)
    if (version === 0 || !Number.isInteger(bits) || bits < 0 || bits > (version === 4 ? 32 : 128)) {
      throw new Error(`${entry} is neither an IP address nor a range of them`)
    }
    list.addSubnet(base, bits, version === 4 ? 'ipv4' : 'ipv6')
  }
  return (address) => {
    const plain = address.replace(/%.*$/, '')
    const version = isIP(plain)
    return version !== 0 && list.check(plain, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/**
 * The address that a request comes from: that of its connection, or what a proxy that is trusted says of its own. From
 * the end of `X-Forwarded-For` on, the first address that no trusted proxy has is the client's.
 */
export function clientAddressOf(
  connectionFrom: string,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string {
  const said = (forwardedFor ?? '').split(',').map((one) => one.trim())
  let address = connectionFrom
  while (isTrusted(address)) {
    const before = said.pop()
    if (before === undefined || isIP(before.replace(/%.*$/, '')) === 0) break
    address = before
  }
  return address
}
