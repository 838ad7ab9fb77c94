import type { IncomingMessage } from 'node:http'
import { httpFailure } from '../lib/http-failure.ts'
import type { SourcePolicy } from './download-policy.ts'
import { ImportError, inWords } from './import-error.ts'

// Imported, their namespaces would take in Node's whole client of fetch, 13 MB that nothing here uses.
const http = process.getBuiltinModule('node:http')
const https = process.getBuiltinModule('node:https')
const { STATUS_CODES } = http

/** What every request to foreign servers obeys. */
export interface Fetching {
  policy: SourcePolicy
  signal: AbortSignal
  pace: Pace
}

export interface Pace {
  /** A transfer without a byte for so long has failed. */
  stallMs: number
  /** Waited before a failed transfer is taken up again; doubled each time. */
  retryMs: number
  /** A transfer that brings less in that time is ended: a server that drips would hold its place for ever. */
  slowest?: { bytes: number; everyMs: number }
}

const slowest = { bytes: 2 ** 20, everyMs: 120_000 }

export const usualPace: Pace = { stallMs: 30_000, retryMs: 1000, slowest }

const MAX_REDIRECTS = 5
const MAX_RETRIES = 5

/** An answer with any status but a redirect, and the address that gave it. The body is the caller's to read. */
export interface Answer {
  response: IncomingMessage
  url: URL
}

/** One GET. Redirects are followed by hand, so that each address is checked. Throws ImportErrors. */
export async function get(
  start: URL,
  headers: Record<string, string>,
  { policy, signal, pace }: Fetching,
): Promise<Answer> {
  let url = start
  policy.check(url)
  for (let redirects = 0; ; redirects += 1) {
    // What authorizes at one place is not for another.
    const { authorization, ...open } = headers
    const sent = authorization !== undefined && url.origin === start.origin ? headers : open
    const response = await send(url, sent, policy, signal, pace)
    const { location } = response.headers
    if (!REDIRECTS.has(response.statusCode ?? 0) || location === undefined) return { response, url }
    response.destroy()
    if (redirects === MAX_REDIRECTS) throw new ImportError('The server redirects too often.')
    if (!URL.canParse(location, url.href)) throw new ImportError('The server redirects to an invalid URL.')
    const next = new URL(location, url)
    policy.check(next, url)
    url = next
  }
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

function send(
  url: URL,
  headers: Record<string, string>,
  policy: SourcePolicy,
  signal: AbortSignal,
  pace: Pace,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http
    const outgoing = request(url, {
      // Connections are not shared: each is made through the policy's look-up.
      agent: false,
      lookup: policy.lookup,
      signal,
      timeout: pace.stallMs,
      headers: { 'user-agent': 'Slipway', 'accept-encoding': 'identity', ...headers },
    })
    let answered: IncomingMessage | null = null
    const stop = () => {
      const stalled = new ImportError('The server stopped sending data.', { retryable: true })
      // Ending the request would end the body without saying why.
      if (answered) answered.destroy(stalled)
      else outgoing.destroy(stalled)
    }
    outgoing.on('timeout', stop)
    // Headers that drip are never idle for long.
    const slowHeaders = setTimeout(stop, 2 * pace.stallMs)
    outgoing.on('close', () => clearTimeout(slowHeaders))
    outgoing.on('response', (response) => {
      clearTimeout(slowHeaders)
      answered = response
      resolve(response)
    })
    outgoing.on('error', reject)
    outgoing.end()
  })
}

/** Tries again what failed for a passing reason, at most five times, and gives back the last failure. */
export async function persist<T>(
  { signal, pace }: Pick<Fetching, 'signal' | 'pace'>,
  attempt: () => Promise<T>,
): Promise<T> {
  for (let retries = 0; ; retries += 1) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      const failure = failureOf(error)
      if (!failure.retryable || failure.noSpace || retries === MAX_RETRIES) throw failure
    }
    await pause(pace.retryMs * 2 ** retries, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** Why an answer is no success, as a sentence; the server's own words are left out. */
export function refusalOf({ response }: Answer): ImportError {
  const status = response.statusCode ?? 0
  response.destroy()
  const words = [status, STATUS_CODES[status]].filter(Boolean).join(' ')
  const retryable = status >= 500 || status === 408 || status === 429
  return new ImportError(`The server answered ${words}.`, { retryable })
}

/** Any error on the way to a server as one the user can read. */
export function failureOf(error: unknown): ImportError {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ImportError) return at
  const { words, retryable } = httpFailure(error)
  return new ImportError(words, { retryable, cause: error })
}

/** The bytes of an answer as they come. Throws an ImportError when they come too slowly. */
export async function* atPace(
  { response }: Answer,
  least: Pace['slowest'] = slowest,
): AsyncGenerator<Buffer, void> {
  let since = performance.now()
  let bytes = 0
  // The stream was given no encoding, so its chunks are buffers.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    yield chunk
    bytes += chunk.length
    if (performance.now() - since < least.everyMs) continue
    if (bytes < least.bytes) throw tooSlow(least)
    since = performance.now()
    bytes = 0
  }
}

const tooSlow = ({ bytes, everyMs }: NonNullable<Pace['slowest']>) =>
  new ImportError(
    `The download is too slow: less than ${inWords(bytes)} within ${Math.round(everyMs / 1000)} seconds.`,
  )

/** Reads a short answer whole. */
export async function readShort(answer: Answer, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of atPace(answer)) {
    length += chunk.length
    if (length > maxBytes) throw new ImportError('The server sent more data than it announced.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
