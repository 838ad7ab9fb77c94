/** One user of the API, over connections of their own. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { type Endpoint, fillPath } from '@slipway/contract'

export interface Answer {
  status: number
  text: string
  headers: IncomingMessage['headers']
  /** Milliseconds until the answer was whole. */
  took: number
}

export interface Request {
  method: string
  /** Path and query, already encoded. */
  path: string
  /** Sent as it is, with the content type of JSON unless `headers` say otherwise. */
  body?: string
  headers?: Record<string, string>
}

export interface Client {
  /**
   * Over a connection that is kept for the next request, or one of its own. Null: no answer came, so nobody knows
   * whether the request was carried out.
   */
  send: (message: Request, over?: 'kept' | 'new') => Promise<Answer | null>
  cookie: string
  /** The address it seems to come from. */
  readonly from: string
  close: () => void
}

/** The longest time that a request is waited for; far beyond what is allowed. */
const patienceMs = 30_000

/** Everything that follows `url`, which changes with every start of the server. */
export function makeClient(url: () => string, from: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const client: Client = {
    cookie: '',
    from,
    close: () => agent.destroy(),
    send({ method, path, body, headers }, over = 'kept') {
      const began = performance.now()
      const { promise, resolve } = Promise.withResolvers<Answer | null>()
      const { hostname, port } = new URL(url())
      const sent = request({
        hostname,
        port,
        method,
        path,
        agent: over === 'kept' ? agent : false,
        signal: AbortSignal.timeout(patienceMs),
        headers: {
          'x-forwarded-for': from,
          ...(client.cookie && { cookie: client.cookie }),
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
          ...headers,
        },
      })
      const answered = (response: IncomingMessage, text: string) =>
        resolve({
          status: response.statusCode ?? 0,
          text,
          headers: response.headers,
          took: performance.now() - began,
        })
      sent.on('error', () => resolve(null))
      sent.on('upgrade', (response, socket) => {
        socket.on('error', () => {})
        socket.destroy()
        answered(response, '')
      })
      sent.on('response', (response) => {
        // A stream of events never ends by itself; its beginning is its answer.
        if (response.headers['content-type']?.startsWith('text/event-stream')) {
          answered(response, '')
          response.on('error', () => {})
          sent.destroy()
          return
        }
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('error', () => resolve(null))
        response.on('end', () => answered(response, Buffer.concat(parts).toString()))
      })
      sent.end(body)
      return promise
    },
  }
  return client
}

export interface CallParts {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

/** The request of a call of the contract. */
export function requestOf(endpoint: Pick<Endpoint, 'method' | 'path'>, parts: CallParts = {}): Request {
  const query = parts.query ? `?${new URLSearchParams(parts.query)}` : ''
  return {
    method: endpoint.method,
    path: fillPath(endpoint.path, parts.params) + query,
    ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
  }
}
