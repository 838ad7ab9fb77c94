/** One request over HTTPS, and its answer within bounds. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { type Agent, request as httpsRequest } from 'node:https'
import type { Clock } from '../../../lib/clock.ts'
import type { Cluster } from './cluster.ts'
import { KubeError } from './kube-error.ts'

export interface Request {
  method: string
  /** With its query. */
  path: string
  body?: string
  contentType?: string
}

/** Nothing of these reached the server, so whatever it was may be tried again. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'])

/** The connection failed. `sent` tells whether the server may have heard what was asked. */
export class ConnectionLost extends KubeError {
  readonly sent: boolean
  constructor(cause: NodeJS.ErrnoException) {
    super('away', `The API server cannot be reached: ${cause.message || cause.code}`, { cause })
    this.sent = !notSent.has(cause.code ?? '')
  }
}

/** KubeVirt's subresources answer 406 where only JSON is wanted. */
const accept = 'application/json, */*'

/** Sends a request and resolves with the head of its answer. */
export async function send(
  cluster: Cluster,
  agent: Agent | undefined,
  { method, path, body, contentType = 'application/json' }: Request,
  signal: AbortSignal,
  anew = false,
): Promise<IncomingMessage> {
  const { authorization, ...certificate } = await cluster.login(anew)
  signal.throwIfAborted()
  const url = new URL(`${cluster.server.pathname.replace(/\/$/, '')}${path}`, cluster.server)
  const isPlain = url.protocol === 'http:'
  return new Promise((resolve, reject) => {
    const request = (isPlain ? httpRequest : httpsRequest)(url, {
      method,
      signal,
      ...(isPlain ? {} : { ...cluster.tls, ...certificate, agent: agent ?? false }),
      headers: {
        accept,
        'user-agent': 'slipway',
        ...(authorization === undefined ? {} : { authorization }),
        ...(body === undefined
          ? {}
          : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
      },
    })
    request.on('response', resolve)
    request.on('error', (error) => reject(signal.aborted ? signal.reason : new ConnectionLost(error)))
    request.end(body)
  })
}

/** The body of an answer. One with more bytes is given up. */
export function bodyOf(answer: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    const lost = (error?: Error) =>
      reject(signal.aborted ? signal.reason : new ConnectionLost(error ?? new Error('it hung up')))
    answer.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > maxBytes) {
        reject(
          new KubeError('broken', `The answer has more than ${maxBytes} bytes`, {
            status: answer.statusCode ?? 0,
          }),
        )
        answer.destroy()
      } else parts.push(part)
    })
    answer.on('end', () => resolve(Buffer.concat(parts).toString('utf8')))
    answer.on('error', lost)
    answer.on('close', () => lost())
  })
}

/** A signal of one's own that is aborted with another, and after a while. `over` has to be called at the end. */
export function withinTime(
  signal: AbortSignal | undefined,
  ms: number,
  clock: Pick<Clock, 'after'>,
): { signal: AbortSignal; over: () => void } {
  const own = new AbortController()
  const follow = () => own.abort(signal?.reason)
  const cancel = clock.after(ms, () =>
    own.abort(new KubeError('away', `The API server did not answer within ${ms / 1000} s`)),
  )
  signal?.addEventListener('abort', follow, { once: true })
  if (signal?.aborted) follow()
  return {
    signal: own.signal,
    over() {
      cancel()
      signal?.removeEventListener('abort', follow)
    },
  }
}
