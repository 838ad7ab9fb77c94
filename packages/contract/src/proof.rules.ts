/** What somebody who is signed in has to confirm anew: a browser may have been left open, and a cookie copied. */
import type { EndpointId } from './endpoint.ts'

export const proofTexts = {
  needed: 'Confirm that it is you: enter your password or a code, or use a passkey.',
  missing: 'Enter your password or a code, or use a passkey',
} as const

/** The `code` of the refusal, by which programs tell it from others of the status 403. */
export const proofNeeded = 'proof_needed'

/** So long a confirmation counts in the session that it was made in; a sign-in is one. */
export const proofLastsMs = 10 * 60_000

/** What can keep the owner out of an account, or let somebody in for longer than the session lasts. */
const dangerous: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'account.changePassword',
  'account.changeEmail',
  'passkey.begin',
  'passkey.delete',
  'totp.begin',
  'totp.remove',
  'totp.renewCodes',
  'oidc.link',
  'oidc.unlink',
  'apiToken.create',
  'accountDeletion.request',
  'projectMember.handOver',
  'adminAccount.removeTotp',
])

/** Whether a call needs a recent confirmation. No API token will do for such a call. */
export const needsProof = (id: EndpointId): boolean => dangerous.has(id)

/**
 * Whether a session was confirmed recently enough.
 *
 * @param provenAt - ISO 8601; null: never
 * @param now - milliseconds since the epoch
 */
export const isProven = (provenAt: string | null, now: number): boolean =>
  provenAt !== null && now - Date.parse(provenAt) < proofLastsMs
