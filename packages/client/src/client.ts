// Of the contract only what loads no schema: programs that make one call should start at once.
import type { CallInput, CallOutput, EndpointId, EndpointOf } from '@slipway/contract'
import { fillPath, routeOf } from '@slipway/contract/endpoint.ts'
import { readError } from '@slipway/contract/error-answer.rules.ts'
import { headers as headerNames } from '@slipway/contract/header.rules.ts'
import { ApiError } from './api-error.ts'

/** What every call takes beside the parts of its endpoint. */
export interface CallOptions {
  signal?: AbortSignal
  /**
   * A UUID that stands for one thing to create. Such a call is tried once more, with the same key, when no answer came:
   * the server creates nothing twice for one key.
   */
  idempotencyKey?: string | undefined
  /** What a call that takes bytes of a file is to send. */
  bytes?: Uint8Array<ArrayBuffer>
  /** Headers of this call alone. */
  headers?: Record<string, string>
  /** A longer wait for an answer than that of the client, in milliseconds. */
  timeoutMs?: number
}

export type CallArgs<Id extends EndpointId> = CallInput<EndpointOf<Id>> & CallOptions

/** Nothing to pass where an endpoint has no parts that are required. */
export type Rest<Id extends EndpointId> =
  object extends CallArgs<Id> ? [args?: CallArgs<Id>] : [args: CallArgs<Id>]

/** Calls an endpoint of the contract. Throws {@link ApiError}; rethrows the abort of `signal`. */
export type Call = <Id extends EndpointId>(id: Id, ...args: Rest<Id>) => Promise<CallOutput<EndpointOf<Id>>>

/** What is sent for a call, as far as `fetch` takes it as well. */
export interface Sent {
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  signal?: AbortSignal
  credentials?: NonNullable<RequestInit['credentials']>
}

/** What comes back, as far as `fetch` answers with it as well. */
export interface Answer {
  ok: boolean
  status: number
  headers: { get: (name: string) => string | null }
  body: AsyncIterable<Uint8Array> | null
  text: () => Promise<string>
}

/** Sends a request; rejects when there is no response. */
export type Transport = (url: string, sent: Sent) => Promise<Answer>

export interface ClientOptions {
  /** Stands before the path of every call; empty in a page that comes from the server itself. */
  base: string
  /** The longest wait for an answer, in milliseconds. */
  timeoutMs: number
  /** More of the request of a call, such as who makes it. */
  request?: (id: EndpointId) => Partial<Pick<Sent, 'headers' | 'credentials'>>
  /** Sees every answer, refusals too, before the caller does. */
  onAnswer?: (id: EndpointId, answer: Pick<Answer, 'status' | 'headers'>, content: unknown) => void
  /** By default `fetch`. */
  transport?: Transport
}

export interface Client {
  call: Call
  /** The answer of a call that is read as it comes: a file, or events. It may take as long as it likes. */
  open: <Id extends EndpointId>(id: Id, ...args: Rest<Id>) => Promise<Answer>
}

/** All parts that a call may have. */
type Loose = CallOptions & {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

// Looked up at each call, so that tests can put another in its place.
const byFetch: Transport = (url, sent) => fetch(url, sent)

/** A client of the HTTP API. Answers are not parsed by their schemas: the server has sent them through the same ones. */
export function makeClient({
  base,
  timeoutMs,
  request,
  onAnswer,
  transport = byFetch,
}: ClientOptions): Client {
  /** Sends a call once and reads of its answer what is needed; rejects when there is none. */
  async function send<T>(
    id: EndpointId,
    { params, query, body, bytes, signal, idempotencyKey, headers: ofCall }: Loose,
    timeout: AbortSignal | undefined,
    read: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    const { method, path } = routeOf(id)
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query ?? {}))
      if (value !== undefined) search.set(name, String(value))
    const signals = [signal, timeout].filter((one) => one !== undefined)
    const { headers, ...more } = request?.(id) ?? {}
    const sent: Sent = {
      method,
      ...more,
      ...(signals.length > 0 && { signal: AbortSignal.any(signals) }),
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(bytes !== undefined && { 'content-type': 'application/octet-stream' }),
        ...headers,
        ...ofCall,
        ...(idempotencyKey !== undefined && { [headerNames.idempotencyKey]: idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(bytes !== undefined && { body: bytes }),
    }
    try {
      const url = base + fillPath(path, params) + (search.size > 0 ? `?${search}` : '')
      return await read(await transport(url, sent))
    } catch (error) {
      if (signal?.aborted) throw error
      throw Object.assign(new ApiError(null, null), { cause: error })
    }
  }

  async function contentOf(id: EndpointId, answer: Answer): Promise<unknown> {
    const text = await answer.text()
    const content = text === '' ? undefined : parseJson(text)
    onAnswer?.(id, answer, content)
    return content
  }

  return {
    async call(id, ...args) {
      // The parts an endpoint has are checked by CallArgs; inside, all of them may be there.
      const input = (args[0] ?? {}) as Loose
      // Shared by both attempts, so that this is the longest wait.
      const within = input.timeoutMs ?? timeoutMs
      const timeout = AbortSignal.timeout(within)
      const begun = performance.now()
      const attempt = () =>
        send(id, input, timeout, async (answer) => ({ answer, content: await contentOf(id, answer) }))
      let { answer, content } = await attempt().catch((error: unknown) => {
        if (input.idempotencyKey !== undefined && !input.signal?.aborted && !timeout.aborted) return attempt()
        throw error
      })
      // Too much at once: what only reads waits as long as the server says, unless that is longer than a caller would.
      for (let tries = 0; tries < 3 && answer.status === 429 && routeOf(id).method === 'GET'; tries++) {
        const waitS = Number(answer.headers.get('retry-after') ?? Number.NaN)
        // Without enough time for another answer, the reason of this one is worth more.
        const leftMs = within - (performance.now() - begun) - waitS * 1000
        if (!(waitS <= mostWaitS) || leftMs < within / 2) break
        await pause(waitS * 1000, input.signal)
        ;({ answer, content } = await attempt())
      }
      if (!answer.ok) throw refusal(answer.status, content)
      // The server parsed it by the endpoint's schema before it left.
      return content as CallOutput<EndpointOf<typeof id>>
    },
    async open(id, ...args) {
      const answer = await send(id, (args[0] ?? {}) as Loose, undefined, async (answer) => answer)
      if (!answer.ok) throw refusal(answer.status, await contentOf(id, answer))
      return answer
    },
  }
}

/** Waits; ends with the reason of the signal when that is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** The longest wait before a call is made again, in seconds. */
const mostWaitS = 5

function refusal(status: number, answer: unknown): ApiError {
  const { message, fields, code } = readError(answer)
  return new ApiError(status, message ?? null, fields, code)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
