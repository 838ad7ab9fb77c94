import { ApiError, makeClient, type Rest } from '@slipway/client'
import {
  type CallOutput,
  type EndpointId,
  type EndpointOf,
  headers,
  proofNeeded,
  routeOf,
} from '@slipway/contract'
import type { Said } from './order.ts'
import { type Revision, readRevision } from './revision.ts'

export { ApiError } from '@slipway/client'

/** The fixed base host of all calls; the page's own origin unless the build says otherwise. */
export const apiBase: string = import.meta.env.VITE_API_BASE ?? ''

export const callTimeoutMs = 15_000

let account: string | null = null

/** Sets the user of this page. Calls send it, and the server refuses them when someone else is signed in. */
export function setAccount(userId: string | null): void {
  account = userId
}

const revisions = new WeakMap<object, Revision>()

/**
 * The revision up to which an answer includes all changes. The answer to a change is half a step later: it includes
 * its own change, and not necessarily the next one.
 */
export const revisionOf = (answer: unknown): Revision | null =>
  typeof answer === 'object' && answer !== null ? (revisions.get(answer) ?? null) : null

/** The same in the server's notation, for its event stream. */
export function revisionTextOf(answer: unknown): string | null {
  const at = revisionOf(answer)
  return at && `${at.epoch}-${Math.floor(at.number)}`
}

/** An object from the answer to a change, with the revision of that answer. */
export const said = <T>(object: T, answer: unknown = object): Said<T> => ({ object, at: revisionOf(answer) })

let onSessionLost = () => {}

/** Registers what happens when a call outside `/api/auth/` is answered with 401. */
export function setSessionLostHandler(handler: () => void): void {
  onSessionLost = handler
}

let askForProof = async (): Promise<boolean> => false

/** Registers who asks the user to confirm who they are, and answers whether they did. */
export function setProofAsker(ask: () => Promise<boolean>): void {
  askForProof = ask
}

/** The body of a call that creates something, and the key that every attempt shares. */
export interface Creation<Body> {
  body: Body
  idempotencyKey?: string | undefined
}

/** Calls that find out who is signed in. */
const isOpen: ReadonlySet<EndpointId> = new Set([
  'account.me',
  'account.signIn',
  'account.signInWithCode',
  'account.beginPasskey',
  'account.signInWithPasskey',
  'account.signUp',
])

const client = makeClient({
  base: apiBase,
  timeoutMs: callTimeoutMs,
  request: (id) => ({
    credentials: 'include',
    headers: account !== null && !isOpen.has(id) ? { [headers.account]: account } : {},
  }),
  onAnswer(id, response, answer) {
    const { method, path } = routeOf(id)
    const at = readRevision(response.headers.get(headers.revision))
    if (at && typeof answer === 'object' && answer !== null)
      revisions.set(answer, method === 'GET' ? at : { ...at, number: at.number + 0.5 })
    if (response.status === 401 && !path.startsWith('/api/auth/')) onSessionLost()
  },
})

/**
 * Calls an endpoint of the contract. A call that needs a confirmation of the user asks for it and is made again. Throws
 * `ApiError`; rethrows the abort of `signal`.
 */
export async function call<Id extends EndpointId>(
  id: Id,
  ...args: Rest<Id>
): Promise<CallOutput<EndpointOf<Id>>> {
  return client.call(id, ...args).catch(async (error: unknown) => {
    if (!(error instanceof ApiError && error.code === proofNeeded) || !(await askForProof())) throw error
    return client.call(id, ...args)
  })
}

/** A new UUID (version 4). `crypto.randomUUID` is missing where the console is served without https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
