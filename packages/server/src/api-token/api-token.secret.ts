import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { apiTokenPrefix } from '../lib/bearer.ts'

const randomByteCount = 24

const checksumOf = (random: string) => crc32(random).toString(16).padStart(8, '0')

/** A new token: the prefix, 192 random bits in hex, and the CRC-32 of those digits, by which a typing error is known. */
export function newApiToken(): string {
  const random = randomBytes(randomByteCount).toString('hex')
  return `${apiTokenPrefix}${random}${checksumOf(random)}`
}

/** What a token is stored under; null for a text that cannot be one. */
export function apiTokenHash(text: string): string | null {
  const [, random, checksum] = /^([0-9a-f]{48})([0-9a-f]{8})$/.exec(text.slice(apiTokenPrefix.length)) ?? []
  const isWhole = random !== undefined && checksumOf(random) === checksum && text.startsWith(apiTokenPrefix)
  if (!isWhole) return null
  return createHash('sha256').update(text).digest('hex')
}
