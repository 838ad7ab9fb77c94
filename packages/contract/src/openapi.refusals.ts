import { accessTexts, isOfProject, leastRoles } from './access.rules.ts'
import { mayWhileFrozen } from './account-deletion.rules.ts'
import { apiTokenMay, apiTokenNeeds, apiTokenTexts } from './api-token.rules.ts'
import { type Endpoint, takesPlace } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { queueTexts } from './queue.rules.ts'
import { uploadTexts } from './upload.rules.ts'

/** The refusals that calls share, by their status: the name of the response, and what it means. */
export const refusals = {
  400: ['BadRequest', 'The request is not valid'],
  401: ['Unauthorized', 'Not signed in'],
  403: ['Forbidden', 'Refused'],
  404: ['NotFound', 'The object does not exist or belongs to another account'],
  408: ['RequestTimeout', 'The request did not arrive in time'],
  409: ['Conflict', 'Not possible in the current state'],
  413: ['ContentTooLarge', 'The body is too large'],
  415: ['UnsupportedMediaType', 'The body is not of the type that is taken'],
  421: ['MisdirectedRequest', 'The `Host` header does not name this server'],
  422: [
    'UnprocessableContent',
    'Something required is missing, the request contradicts an earlier one, or the engine cannot do this',
  ],
  429: ['TooManyRequests', 'Too much at once; `Retry-After` says in how many seconds to try again'],
  503: ['ServiceUnavailable', 'Temporarily unavailable'],
} as const

export type RefusalStatus = keyof typeof refusals

/** The sentences that a call may be refused with, by their status. */
export function sentencesOf(endpoint: Endpoint): Partial<Record<RefusalStatus, readonly string[]>> {
  const sentences: Partial<Record<RefusalStatus, readonly string[]>> = { ...endpoint.errors }
  const add = (status: RefusalStatus, ...more: string[]) => {
    if (more.length > 0) sentences[status] = [...new Set([...(sentences[status] ?? []), ...more])]
  }
  if (endpoint.body) {
    add(400, messages.invalidBody)
    add(413, messages.tooLarge)
    if (endpoint.takes !== 'form') add(415, messages.unsupportedMediaType)
  }
  if (endpoint.takes === 'file') add(415, uploadTexts.pieceType)
  add(421, messages.foreignHost)
  if (endpoint.idempotent) {
    add(400, messages.invalidIdempotencyKey)
    add(422, messages.idempotencyKeyReused)
  }
  const least = isOfProject(endpoint.id) ? leastRoles[endpoint.id] : 'viewer'
  if (least !== 'viewer') add(403, accessTexts[least])
  const frozen = isOfProject(endpoint.id) ? mayWhileFrozen(endpoint) : true
  if (frozen !== true) add(403, frozen)
  if (takesPlace(endpoint)) {
    add(429, queueTexts.calls)
    add(503, queueTexts.others)
  }
  if (endpoint.auth !== 'public') add(401, messages.notAuthenticated)
  if (apiTokenNeeds(endpoint)) {
    add(401, apiTokenTexts.invalid)
    add(403, ...tokenRefusalsOf(endpoint))
  }
  return sentences
}

/** How an API token may be refused at an endpoint that takes one. */
function tokenRefusalsOf(endpoint: Endpoint): string[] {
  const projectId = endpoint.path.includes(':projectId') ? 'another' : undefined
  return [
    apiTokenMay({ access: 'read', project_ids: null }, endpoint, projectId),
    apiTokenMay({ access: 'write', project_ids: [] }, endpoint, projectId),
  ].filter((verdict) => verdict !== true)
}
