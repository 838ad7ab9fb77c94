import {
  type CallInput,
  type CallOutput,
  type EndpointId,
  type EndpointOf,
  fillPath,
  readError,
  routeOf,
} from '@slipway/contract'

/** A call that did not succeed. */
export class ApiError extends Error {
  /** Null when there was no answer at all: no network, time-out, not JSON. */
  readonly status: number | null
  /** Sentences for single fields of the request body. */
  readonly fields: Record<string, string> | undefined

  /** The message is the server's own sentence; empty when it sent none. */
  constructor(status: number | null, message: string | null, fields?: Record<string, string>) {
    super(message ?? '')
    this.name = 'ApiError'
    this.status = status
    this.fields = fields
  }
}

/** The fixed base host of all calls; the page's own origin unless the build says otherwise. */
export const apiBase: string = import.meta.env.VITE_API_BASE ?? ''

export const callTimeoutMs = 15_000

let onSessionLost = () => {}

/** Registers what happens when a call outside `/api/auth/` is answered with 401. */
export function setSessionLostHandler(handler: () => void): void {
  onSessionLost = handler
}

type CallArgs<Id extends EndpointId> = CallInput<EndpointOf<Id>> & { signal?: AbortSignal }
type Loose = {
  params?: Record<string, string>
  query?: Record<string, string | undefined>
  body?: unknown
  signal?: AbortSignal
}

/**
 * Calls an endpoint of the contract. The answer is not parsed again: the server has sent it through the same
 * schema. Throws `ApiError`; rethrows the abort of `signal`.
 */
export async function call<Id extends EndpointId>(
  id: Id,
  ...args: object extends CallArgs<Id> ? [args?: CallArgs<Id>] : [args: CallArgs<Id>]
): Promise<CallOutput<EndpointOf<Id>>> {
  const { method, path } = routeOf(id)
  // The parts an endpoint has are checked by CallArgs above; inside, all of them may be there.
  const { params, query, body, signal } = (args[0] ?? {}) as Loose
  const timeout = AbortSignal.timeout(callTimeoutMs)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, value)
  const url = apiBase + fillPath(path, params) + (search.size > 0 ? `?${search}` : '')

  let response: Response
  let answer: unknown
  try {
    response = await fetch(url, {
      method,
      credentials: 'include',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await response.text()
    answer = text === '' ? undefined : parseJson(text)
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(null, null)
  }

  if (!response.ok) {
    if (response.status === 401 && !path.startsWith('/api/auth/')) onSessionLost()
    const { message, fields } = readError(answer)
    throw new ApiError(response.status, message ?? null, fields)
  }
  // The server parsed it by the endpoint's schema before it left.
  return answer as CallOutput<EndpointOf<Id>>
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
