import type { ErrorBody } from './error.ts'

export const messages = {
  notAuthenticated: 'Not authenticated',
  otherAccount: 'Someone else signed in in this browser. Reload the page to continue.',
  invalidBody: 'Invalid request body',
  nullCharacter: 'Use text without null characters',
  crossSite: 'Cross-site request refused',
  tooManyAttempts: 'Too many attempts. Please try again later.',
  tooLarge: 'Request body is too large',
  invalidRequest: 'The request is not valid HTTP',
  invalidUrl: 'The URL is not valid',
  methodNotAllowed: 'This URL does not support the request method',
  requestTimeout: 'The request did not arrive in time',
  headersTooLarge: 'The request headers are too large',
  tooManyConnections: 'Too many connections from this address. Try again in a minute.',
  tooManyStreams: 'Too many live connections for this account. Close some tabs and try again.',
  noStreamLeft: 'The server has no free live connection. Try again in a minute.',
  tooManyConsoles: 'Too many open consoles for this account. Close some and try again.',
  noConsoleLeft: 'The server has no free console connection. Try again in a minute.',
  invalidIdempotencyKey: 'The Idempotency-Key header must be a UUID',
  idempotencyKeyReused:
    'This Idempotency-Key was already used for a different request. Use a new key for a new request.',
  createdObjectDeleted: 'The object that was created with this Idempotency-Key has been deleted',
  foreignHost: 'This server does not answer to this host name. Use its public URL.',
  unsupportedMediaType: 'Request body must be JSON',
  projectNotFound: 'Project not found',
  vmNotFound: 'VM not found',
  vmPoolNotFound: 'VM Pool not found',
  vmSetNotFound: 'VM Set not found',
  vmSnapshotNotFound: 'Snapshot not found',
  diskNotFound: 'Disk not found',
  diskSnapshotNotFound: 'Disk snapshot not found',
  operationNotFound: 'Operation not found. It may have ended already.',
  sshKeyNotFound: 'SSH key not found',
  notFound: 'Not found',
} as const

/** The parts of an error answer that a screen can show; an answer of any other shape has none. */
export function readError(answer: unknown): Partial<Pick<ErrorBody, 'message' | 'code' | 'fields'>> {
  const { message, code: word, fields } = Object(answer) as Record<string, unknown>
  if (typeof message !== 'string') return {}
  const said = { message, ...(typeof word === 'string' && { code: word }) }
  if (!fields || !Object.values(fields).every((text) => typeof text === 'string')) return said
  // Every value was looked at.
  return { ...said, fields: fields as Record<string, string> }
}
