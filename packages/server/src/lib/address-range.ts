/** Ranges of IPv4 addresses, such as `10.80.0.0/14`. */

/** A range of IPv4 addresses: its first one as a number, and how many bits are fixed. */
export interface Range {
  first: number
  prefix: number
}

/** Address in dotted form. */
export const dotted = (address: number): string =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')

function numberOf(text: string): number | null {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number)
  if (!parts?.every((part) => part <= 255)) return null
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

/** A range such as `10.80.0.0/14`; an address alone is a range of one. Null when it is none. */
export function parseRange(text: string): Range | null {
  const [base = '', bits = '32', ...rest] = text.split('/')
  const first = numberOf(base)
  const prefix = /^\d{1,2}$/.test(bits) ? Number(bits) : 33
  if (first === null || prefix > 32 || rest.length > 0) return null
  return first % sizeOf({ first, prefix }) === 0 ? { first, prefix } : null
}

export const rangeText = ({ first, prefix }: Range): string => `${dotted(first)}/${prefix}`

const sizeOf = ({ prefix }: Range): number => 2 ** (32 - prefix)

export const overlap = (a: Range, b: Range): boolean =>
  a.first < b.first + sizeOf(b) && b.first < a.first + sizeOf(a)

const privateRanges = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'].flatMap(
  (text) => parseRange(text) ?? [],
)

/** Whether all of it is for private networks (RFC 1918, RFC 6598). */
export const isPrivate = (range: Range): boolean =>
  privateRanges.some((whole) => whole.prefix <= range.prefix && overlap(whole, range))
