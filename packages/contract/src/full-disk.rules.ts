/** Which calls still have to be possible when the disk of the server is full: those by which somebody makes room. */
import type { EndpointId, Method } from './endpoint.ts'
import { routes } from './routes.ts'

/** Beside deletions: what ends something, what comes before a deletion, and what takes somebody there. */
const waysOut: ReadonlySet<EndpointId> = new Set<EndpointId>([
  // It only reads: the question before a deletion says what that does to the bin.
  'bin.preview',
  'vm.stop',
  'disk.detach',
  'operation.cancel',
  'operation.cancelAny',
  'batch.cancel',
  'vmPool.stopRollOut',
  'vmSet.stopRollOut',
  'adminAccount.disable',
  'account.signIn',
  'account.signInWithCode',
  'account.beginPasskey',
  'account.signInWithPasskey',
  'oidc.begin',
  'account.signOut',
  'proof.give',
  'proof.beginPasskey',
])

const isWayOut = (id: EndpointId, method: Method): boolean => method === 'DELETE' || waysOut.has(id)

/** A protected VM is deleted once its protection is off; whoever changes more at once needs more room. */
const endsProtection = (id: EndpointId, body: unknown): boolean =>
  id === 'vm.update' &&
  typeof body === 'object' &&
  body !== null &&
  'delete_protection' in body &&
  body.delete_protection === false &&
  Object.keys(body).length === 1

/**
 * Whether a call may use the space that is set aside for a full disk, as deletions and stops do. A batch may when the call
 * that it makes may.
 */
export function mayWhileFull({ id, method }: { id: EndpointId; method: Method }, body?: unknown): boolean {
  if (id !== 'batch.create') return isWayOut(id, method) || endsProtection(id, body)
  const action = typeof body === 'object' && body !== null && 'action' in body ? body.action : null
  return typeof action === 'string' && Object.hasOwn(routes, action)
    ? isWayOut(action as EndpointId, routes[action as EndpointId].split(' ')[0] as Method)
    : false
}
