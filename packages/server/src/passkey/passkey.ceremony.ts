/** Web Authentication, as far as it is cryptography and formats: challenges in, checked keys out. */

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import { type PasskeyMade, type PasskeyOptions, type PasskeyUsed, passkeyLastsMs } from '@slipway/contract'

/** Whom browsers take passkeys to be for. */
export interface Site {
  name: string
  /** Where the console is opened; passkeys belong to its host name. */
  origin: string
}

/** A key that somebody can sign in with. */
export interface Key {
  /** Base64url. */
  credentialId: string
  /** COSE, in base64url. */
  publicKey: string
  /** How often the authenticator used it; stays 0 for passkeys that several devices share. */
  counter: number
  transports: string[]
}

/** Takes the challenge back that an answer was made for; false when it is none of ours, or was used, or is too old. */
type TakeChallenge = (challenge: string) => Promise<boolean>

/** Loaded for the first passkey: it takes 29 MB, which a server whose people have none need not hold. */
const library = () => import('@simplewebauthn/server')

/** EdDSA, ES256 and RS256, by their numbers in COSE: every authenticator has one of them. */
const algorithms = [-8, -7, -257]

const rpOf = ({ origin }: Site) => new URL(origin).hostname
// The types of the library name more than the wire: what is passed on is what the schema let in.
const asJson = (options: object) => options as PasskeyOptions

/** For a new passkey, which the device finds without an email address and unlocks for its user only. */
export async function optionsToMake(
  site: Site,
  account: { id: string; name: string; email: string },
  known: readonly Key[],
): Promise<PasskeyOptions> {
  const { generateRegistrationOptions } = await library()
  const options = await generateRegistrationOptions({
    rpName: site.name,
    rpID: rpOf(site),
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.email,
    userDisplayName: account.name,
    timeout: passkeyLastsMs,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
    excludeCredentials: known.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return asJson(options)
}

/** For a passkey that is to be used: any of this site, or one of those named. */
export async function optionsToUse(site: Site, only: readonly Key[] = []): Promise<PasskeyOptions> {
  const { generateAuthenticationOptions } = await library()
  const options = await generateAuthenticationOptions({
    rpID: rpOf(site),
    timeout: passkeyLastsMs,
    userVerification: 'required',
    allowCredentials: only.map(({ credentialId, transports }) => ({ id: credentialId, transports })),
  })
  return asJson(options)
}

/** The key of a new passkey; null when the answer does not belong to a challenge and an origin of ours. */
export async function readMade(made: PasskeyMade, site: Site, take: TakeChallenge): Promise<Key | null> {
  const { verifyRegistrationResponse } = await library()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: made as RegistrationResponseJSON,
    expectedChallenge: take,
    expectedOrigin: site.origin,
    expectedRPID: rpOf(site),
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  }).catch(() => ({ verified: false, registrationInfo: undefined }))
  if (!verified || !registrationInfo) return null
  const { id, publicKey, counter } = registrationInfo.credential
  return {
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
    transports: made.response.transports ?? [],
  }
}

/** The new count of a key that was used; null when it was not, or not for a challenge and an origin of ours. */
export async function readUsed(
  used: PasskeyUsed,
  key: Key,
  site: Site,
  take: TakeChallenge,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: used as AuthenticationResponseJSON,
    expectedChallenge: take,
    expectedOrigin: site.origin,
    expectedRPID: rpOf(site),
    requireUserVerification: true,
    credential: {
      id: key.credentialId,
      publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
      counter: key.counter,
    },
  }).catch(() => ({ verified: false, authenticationInfo: undefined }))
  return verified && authenticationInfo ? authenticationInfo.newCounter : null
}
