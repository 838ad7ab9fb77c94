/** Part of a file, from its first byte up to `to`, that one left out. */
export interface ByteRange {
  from: number
  to: number
}

/**
 * What a `Range` header asks for of a file (RFC 9110, section 14): one part, or null for all of it, which is also the answer
 * to what nobody understands and to several parts at once. `none`: there is nothing at that place.
 */
export function byteRangeOf(header: string | undefined, bytes: number): ByteRange | 'none' | null {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '')
    return Number(last) === 0 ? 'none' : { from: Math.max(0, bytes - Number(last)), to: bytes }
  const from = Number(first)
  if (last !== '' && Number(last) < from) return null
  if (from >= bytes) return 'none'
  return { from, to: last === '' ? bytes : Math.min(bytes, Number(last) + 1) }
}
