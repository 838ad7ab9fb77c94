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

/**
 * What can keep the owner out of an account, or let somebody in for longer than the session lasts: a person does it. A token that let
 * somebody in would be revoked, and they would stay.
 */
const onlyByPeople: ReadonlySet<EndpointId> = new Set<EndpointId>([
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
  'sshKey.create',
  'projectMember.invite',
  'projectMember.update',
  'projectMember.handOver',
  'handOver.accept',
  'adminAccount.removeTotp',
])

/**
 * What goes on after the session and lets nobody in: the log of a project is sent elsewhere. Programs set such things up within the scope
 * of their token, which has no session that could be confirmed.
 */
const alsoByPrograms: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'webhook.create',
  'webhook.update',
  'webhook.renewSecret',
])

/** Whether no API token will do for a call, as a person has to confirm it. */
export const isOnlyByPeople = (id: EndpointId): boolean => onlyByPeople.has(id)

/**
 * Whether a call needs a recent confirmation in the session that makes it.
 *
 * @param body - what is sent, where that makes a difference
 */
export function needsProof(id: EndpointId, body?: unknown): boolean {
  if (onlyByPeople.has(id)) return true
  // Without another URL it goes where it went before.
  if (id === 'webhook.update' && typeof body === 'object' && body !== null) return 'url' in body
  return alsoByPrograms.has(id)
}

/**
 * Whether a session was confirmed recently enough.
 *
 * @param provenAt - ISO 8601; null: never
 * @param now - milliseconds since the epoch
 */
export const isProven = (provenAt: string | null, now: number): boolean =>
  provenAt !== null && now - Date.parse(provenAt) < proofLastsMs
