/** What the network does to a screen: answers in the server's place, answers that do not come, a log of the calls. */
import { type Endpoint, eventApi } from '@slipway/contract'
import { expect, onTestFinished, vi } from 'vitest'

/** A call as the page made it. */
export interface SeenCall {
  method: string
  path: string
  query: URLSearchParams
  headers: Headers
  /** The body, read as JSON where it is JSON. */
  body: unknown
}

/** Handles a call in the server's place, or hands it on. */
type Rule = (call: SeenCall, handOn: () => Promise<Response>) => Promise<Response>

const toServer = window.fetch.bind(window)
let rules: Rule[] = []
/** They see every call, whatever becomes of it. */
const watchers = new Set<(call: SeenCall) => void>()

window.fetch = (input, init) => {
  const request = new Request(input, init)
  const url = new URL(request.url)
  const call: SeenCall = {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body: readBody(init?.body),
  }
  for (const watch of watchers) watch(call)
  const present = [...rules]
  const next = (): Promise<Response> => {
    // The latest rule comes first.
    const rule = present.pop()
    return rule ? rule(call, next) : toServer(input, init)
  }
  return Promise.race([next(), abortOf(request.signal)])
}

/** Fails when a call is given up, also one that is held or answered here. */
const abortOf = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

function readBody(body: BodyInit | null | undefined): unknown {
  if (typeof body !== 'string') return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** `fetch` that no rule of a test gets in the way of. */
export { toServer }

const isCallOf = ({ method, path }: Endpoint) => {
  const pattern = new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`)
  return (call: SeenCall) => call.method === method && pattern.test(call.path)
}

/** Puts a rule before all others until the test ends or it is taken away. */
function addRule(rule: Rule): () => void {
  rules.push(rule)
  const remove = () => {
    rules = rules.filter((one) => one !== rule)
  }
  onTestFinished(remove)
  return remove
}

/**
 * Answers an endpoint in the server's place. `{}` is an answer without message, and no status is no answer; a function
 * answers each call with what it makes of it. `end` waits for the first such answer, so that the call does not reach the
 * server after all.
 */
export function answer(
  endpoint: Endpoint,
  status: number | null,
  body: unknown = {},
): { end: () => Promise<void> } {
  const isCall = isCallOf(endpoint)
  // A call that can be repeated is, when no answer came.
  const tries = status === null && endpoint.idempotent ? 2 : 1
  let answers = 0
  const remove = addRule(async (call, handOn) => {
    if (!isCall(call)) return handOn()
    answers++
    if (status === null) throw new TypeError('Failed to fetch')
    // An answer that something is gone has no body.
    if (status === 204) return new Response(null, { status })
    return Response.json(typeof body === 'function' ? body(call) : body, { status })
  })
  return {
    async end() {
      await expect.poll(() => answers, { message: `answers of ${endpoint.id}` }).toBeGreaterThanOrEqual(tries)
      remove()
    },
  }
}

/** Keeps the calls of an endpoint waiting until they are let go. */
export function hold(endpoint: Endpoint): { letGo: () => void } {
  const isCall = isCallOf(endpoint)
  const { promise: released, resolve: letGo } = Promise.withResolvers<void>()
  addRule(async (call, handOn) => {
    if (isCall(call)) await released
    return handOn()
  })
  onTestFinished(() => letGo())
  return { letGo }
}

/** The calls of an endpoint that the page makes from now on; the list grows. */
export function callsOf(endpoint: Endpoint): SeenCall[] {
  const calls: SeenCall[] = []
  const isCall = isCallOf(endpoint)
  const watch = (call: SeenCall) => {
    if (isCall(call)) calls.push(call)
  }
  watchers.add(watch)
  onTestFinished(() => void watchers.delete(watch))
  return calls
}

/** Keeps pages that are opened from now on from having an event stream. */
export function withoutStream(): void {
  vi.stubGlobal('SharedWorker', undefined)
  vi.stubGlobal(
    'EventSource',
    class {
      readonly readyState = 0
      constructor(url: string) {
        if (!new URL(url, location.href).pathname.startsWith(eventApi.streamAll.path))
          throw new Error(`no stream: ${url}`)
      }
      addEventListener(name: string, listener: (event: Event) => void): void {
        if (name === 'error') setTimeout(() => listener(new Event('error')))
      }
      close(): void {}
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
}

/** Gives pages that are opened from now on a stream of their own, not that of all tabs; tells when one is there. */
export function streamOfItsOwn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const Source = EventSource
  vi.stubGlobal('SharedWorker', undefined)
  vi.stubGlobal(
    'EventSource',
    class extends Source {
      constructor(url: string | URL, init?: EventSourceInit) {
        super(url, init)
        this.addEventListener('hello', () => resolve())
      }
    },
  )
  onTestFinished(() => void vi.unstubAllGlobals())
  return promise
}
