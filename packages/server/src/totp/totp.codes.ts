/** The codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 seconds, which every app can), and recovery codes. */
import { createHash, randomInt } from 'node:crypto'
import { recoveryCodeAlphabet, recoveryCodeCount, recoveryCodeLength } from '@slipway/contract'
import { Secret, TOTP } from 'otpauth'

const period = 30
/** How many steps a clock may be off. */
const window = 1

/** 160 random bits, as RFC 4226 recommends. */
export const newSecret = (): Uint8Array => new Secret({ size: 20 }).bytes

const totpOf = (secret: Uint8Array, issuer = '', label = '') =>
  new TOTP({ issuer, label, secret: new Secret({ buffer: new Uint8Array(secret).buffer }), period })

/** What an app is set up with. `issuer` and `label` are what it lists the account under. */
export function setupOf(secret: Uint8Array, issuer: string, label: string): { secret: string; uri: string } {
  const totp = totpOf(secret, issuer, label)
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/**
 * The step that a code of six digits belongs to; null when it is wrong.
 *
 * @param now - milliseconds since the epoch
 */
export function stepOf(secret: Uint8Array, code: string, now: number): number | null {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window })
  return delta === null ? null : Math.floor(now / 1000 / period) + delta
}

const newRecoveryCode = (): string =>
  Array.from({ length: recoveryCodeLength }, () => recoveryCodeAlphabet[randomInt(32)]).join('')

export const newRecoveryCodes = (): string[] => Array.from({ length: recoveryCodeCount }, newRecoveryCode)

/** What a recovery code is stored under. 80 random bits cannot be guessed, so a fast hash will do. */
export const recoveryCodeHash = (code: string): string => createHash('sha256').update(code).digest('hex')
