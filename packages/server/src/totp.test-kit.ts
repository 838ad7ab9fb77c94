/** An authenticator app for tests. */
import { totpApi } from '@slipway/contract'
import { Secret, TOTP } from 'otpauth'
import type { TestApp } from './app.test-kit.ts'

/** The code of a secret in base32 at a time in milliseconds. */
export const codeAt = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

/** Turns two-factor authentication on; `next` gives codes that were not used yet, of this step or the next one. */
export async function turnOnTotp(
  person: Pick<ReturnType<TestApp['client']>, 'call'>,
  clock: { now: () => number },
) {
  const { secret } = (await person.call(totpApi.begin)).body
  const code = codeAt(secret, clock.now())
  const { recovery_codes } = (await person.call(totpApi.confirm, { body: { code } })).body
  return { secret, recovery_codes, used: code, next: () => codeAt(secret, clock.now() + 30_000) }
}
