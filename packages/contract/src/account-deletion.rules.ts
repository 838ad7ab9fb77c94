/** What becomes of an account that its owner deletes: it can be kept for some days, and nothing of it runs meanwhile. */
import type { EndpointId, Method } from './endpoint.ts'

/** How long a deleted account can be kept after all, as the privacy page says. */
export const deletionDays = 30

/** By itself, so that the console's first page does not load the sentences that only the server says. */
const frozen =
  'The owner of this project is deleting their account. Nothing can be changed in it until they keep it.'

export const accountDeletionTexts = {
  alreadyRequested: 'This account is being deleted already',
  notRequested: 'This account is not being deleted',
  lastAdministrator:
    'You are the only administrator of this server. Have another account named in SLIPWAY_ADMINS first.',
  leaving: 'This account is being deleted. Keep it to use it again.',
  frozen,
  newOwnerLeaves: 'This member is deleting their account and cannot become the owner',
} as const

/** Calls that somebody can make whose account is being deleted. */
const whileLeaving: ReadonlySet<EndpointId> = new Set<EndpointId>([
  'account.me',
  'accountExport.get',
  'accountDeletion.get',
  'accountDeletion.cancel',
])

/** Whether somebody whose account is being deleted may make a call; otherwise the sentence it is refused with. */
export const mayWhileLeaving = (id: EndpointId): true | string =>
  whileLeaving.has(id) || accountDeletionTexts.leaving

/**
 * Whether a call may be made about a project whose owner is deleting their account: members may look at everything and
 * leave. Otherwise the sentence it is refused with.
 */
export const mayWhileFrozen = ({ id, method }: { id: EndpointId; method: Method }): true | string =>
  method === 'GET' || id === 'projectMember.leave' || frozen
