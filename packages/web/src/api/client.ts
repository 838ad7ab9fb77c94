import {
  type CallInput,
  type CallOutput,
  type EndpointId,
  type EndpointOf,
  fillPath,
  headers,
  proofNeeded,
  readError,
  routeOf,
} from '@slipway/contract'
import type { Said } from './order.ts'
import { type Revision, readRevision } from './revision.ts'

/** A call that did not succeed. */
export class ApiError extends Error {
  /** Null when there was no response: no network, or the call timed out. */
  readonly status: number | null
  /** Messages for fields of the request body. */
  readonly fields: Record<string, string> | undefined
  /** A word for what the status alone does not say. */
  readonly code: string | undefined

  /** The message is the server's own sentence; empty when it sent none. */
  constructor(status: number | null, message: string | null, fields?: Record<string, string>, code?: string) {
    super(message ?? '')
    this.name = 'ApiError'
    this.status = status
    this.fields = fields
    this.code = code
  }
}

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

interface CallOptions {
  signal?: AbortSignal
  /**
   * A UUID that stands for one thing to create (`crypto.randomUUID()` needs https; see `newKey`). Such a call is tried
   * once more, with the same key, when no answer came: the server creates nothing twice for one key.
   */
  idempotencyKey?: string | undefined
}

/** The body of a call that creates something, and the key that every attempt shares. */
export interface Creation<Body> {
  body: Body
  idempotencyKey?: string | undefined
}

type CallArgs<Id extends EndpointId> = CallInput<EndpointOf<Id>> & CallOptions
type Loose = CallOptions & {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
}

/**
 * Calls an endpoint of the contract. The answer is not parsed again: the server has sent it through the same
 * schema. A call that needs a confirmation of the user asks for it and is made again. Throws `ApiError`; rethrows the
 * abort of `signal`.
 */
export async function call<Id extends EndpointId>(
  id: Id,
  ...args: object extends CallArgs<Id> ? [args?: CallArgs<Id>] : [args: CallArgs<Id>]
): Promise<CallOutput<EndpointOf<Id>>> {
  // The parts an endpoint has are checked by CallArgs above; inside, all of them may be there.
  const input = (args[0] ?? {}) as Loose
  const outcome = await callOnce(id, input).catch(async (error: unknown) => {
    if (!(error instanceof ApiError && error.code === proofNeeded) || !(await askForProof())) throw error
    return callOnce(id, input)
  })
  // The server parsed it by the endpoint's schema before it left.
  return outcome as CallOutput<EndpointOf<Id>>
}

async function callOnce(id: EndpointId, input: Loose): Promise<unknown> {
  // Shared by both attempts, so that this is the longest wait.
  const timeout = AbortSignal.timeout(callTimeoutMs)
  const { response, answer } = await send(id, input, timeout).catch((error: unknown) => {
    const mayRepeat = input.idempotencyKey !== undefined && !input.signal?.aborted && !timeout.aborted
    if (mayRepeat) return send(id, input, timeout)
    throw error
  })

  if (!response.ok) {
    if (response.status === 401 && !routeOf(id).path.startsWith('/api/auth/')) onSessionLost()
    const { message, fields, code } = readError(answer)
    throw new ApiError(response.status, message ?? null, fields, code)
  }
  return answer
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

/** Sends a call once; rejects when there is no response. */
async function send(
  id: EndpointId,
  input: Loose,
  timeout: AbortSignal,
): Promise<{ response: Response; answer: unknown }> {
  const { method, path } = routeOf(id)
  const { params, query, body, signal, idempotencyKey } = input
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, value)
  const url = apiBase + fillPath(path, params) + (search.size > 0 ? `?${search}` : '')
  try {
    const response = await fetch(url, {
      method,
      credentials: 'include',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(account !== null && !isOpen.has(id) && { [headers.account]: account }),
        ...(idempotencyKey !== undefined && { [headers.idempotencyKey]: idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const answer = text === '' ? undefined : parseJson(text)
    const at = readRevision(response.headers.get(headers.revision))
    if (at && typeof answer === 'object' && answer !== null)
      revisions.set(answer, method === 'GET' ? at : { ...at, number: at.number + 0.5 })
    return { response, answer }
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(null, null)
  }
}

/** A new UUID (version 4). `crypto.randomUUID` is missing where the console is served without https. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
