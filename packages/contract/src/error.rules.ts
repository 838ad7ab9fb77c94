import { missing } from './missing.rules.ts'

/** What the server says of requests, whatever they are about. */
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
  ...missing,
} as const
