/** Calls to the API server: each with a deadline, in turn, and tried again where that does no harm. */

import type { IncomingMessage } from 'node:http'
import { Agent } from 'node:https'
import { backoffMs } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import { pause } from '../../../lib/pause.ts'
import type { Cluster } from './cluster.ts'
import { errorOfAnswer, isKube } from './kube-error.ts'
import { makeTokenBucket } from './token-bucket.ts'
import { bodyOf, ConnectionLost, type Request, send, withinTime } from './wire.ts'

/** What a caller may want of a single call. */
export interface CallOptions {
  signal?: AbortSignal
  /** How long all of it may take, with its waiting and further tries. */
  deadlineMs?: number
  maxBytes?: number
  /**
   * Whether it may be sent again when the connection is lost and nobody knows whether it was done. Reading, merging and
   * deleting may be; for a new object only the caller knows that one which exists already is its own.
   */
  repeat?: boolean
}

export interface CallerOptions {
  clock: Clock
  /** Calls per second on average, and how many at once after a rest. */
  qps?: number
  burst?: number
  deadlineMs?: number
}

export interface Caller {
  /** The body of a successful answer; throws a KubeError otherwise, or the reason of the signal. */
  call(request: Request, options?: CallOptions): Promise<string>
  /** A successful answer whose body goes on for as long as it likes; it ends with the signal. */
  open(request: Request, signal: AbortSignal): Promise<IncomingMessage>
  close(): void
}

const defaults = { qps: 50, burst: 100, deadlineMs: 30_000 }
const mostConnections = 32
const mostBytes = 16 * 1024 * 1024
const errorBytes = 64 * 1024
/** How often the connection may be lost, and how often the server may ask us to wait. */
const mostLosses = 2
const mostWaits = 5
const longestWaitMs = 10_000

export function makeCaller(cluster: Cluster, options: CallerOptions): Caller {
  const { clock } = options
  const { qps = defaults.qps, burst = defaults.burst, deadlineMs = defaults.deadlineMs } = options
  const agent = new Agent({ keepAlive: true, keepAliveMsecs: 30_000, maxSockets: mostConnections })
  const bucket = makeTokenBucket({ qps, burst }, clock)

  async function answerOf(request: Request, through: Agent | undefined, signal: AbortSignal) {
    const answer = await send(cluster, through, request, signal)
    if (answer.statusCode !== 401) return answer
    // The token may have been renewed since we read it. A refused call has done nothing.
    answer.resume()
    return send(cluster, through, request, signal, true)
  }

  /** One try. */
  async function attempt(request: Request, maxBytes: number, signal: AbortSignal): Promise<Outcome> {
    await bucket.take(signal)
    const answer = await answerOf(request, agent, signal)
    const status = answer.statusCode ?? 0
    if (status >= 200 && status < 300) return { body: await bodyOf(answer, maxBytes, signal) }
    const error = errorOfAnswer(status, await bodyOf(answer, errorBytes, signal))
    const waitMs = waitAskedBy(answer)
    // With a time to wait the server says that it did nothing yet.
    return { error, waitMs: status === 429 || (status >= 500 && waitMs !== null) ? (waitMs ?? 1000) : null }
  }

  async function call(request: Request, wish: CallOptions = {}): Promise<string> {
    const { signal, over } = withinTime(wish.signal, wish.deadlineMs ?? deadlineMs, clock)
    const mayRepeat = wish.repeat ?? isRepeatable(request)
    let losses = 0
    let waits = 0
    // Clocks do not keep a process alive; a call under way does, also while it waits: a program may have nothing else.
    const alive = setInterval(() => {}, 2 ** 30)
    try {
      for (;;) {
        try {
          const outcome = await attempt(request, wish.maxBytes ?? mostBytes, signal)
          if ('body' in outcome) return outcome.body
          if (outcome.waitMs === null || ++waits > mostWaits) throw outcome.error
          await pause(clock, outcome.waitMs, signal)
        } catch (error) {
          if (!(error instanceof ConnectionLost) || !(mayRepeat || !error.sent)) throw error
          if (++losses > mostLosses) throw error
          await pause(clock, backoffMs(losses) / 5, signal)
        }
        signal.throwIfAborted()
      }
    } finally {
      clearInterval(alive)
      over()
    }
  }

  return {
    call,
    async open(request, signal) {
      const first = withinTime(signal, deadlineMs, clock)
      try {
        await bucket.take(first.signal)
      } finally {
        first.over()
      }
      const opening = new AbortController()
      const end = () => opening.abort(signal.reason)
      signal.addEventListener('abort', end, { once: true })
      const head = withinTime(undefined, deadlineMs, clock)
      const late = () => opening.abort(head.signal.reason)
      head.signal.addEventListener('abort', late, { once: true })
      try {
        signal.throwIfAborted()
        const answer = await answerOf(request, undefined, opening.signal)
        answer.on('close', () => signal.removeEventListener('abort', end))
        const status = answer.statusCode ?? 0
        if (status >= 200 && status < 300) return answer
        throw errorOfAnswer(status, await bodyOf(answer, errorBytes, opening.signal))
      } catch (error) {
        signal.removeEventListener('abort', end)
        throw error
      } finally {
        head.over()
      }
    },
    close: () => agent.destroy(),
  }
}

type Outcome = { body: string } | { error: Error; waitMs: number | null }

/** What has the same end however often it is done. */
const isRepeatable = ({ method, contentType }: Request): boolean =>
  method === 'GET' || method === 'DELETE' || contentType === 'application/merge-patch+json'

/** How long the server asks us to wait, in milliseconds; null when it does not. */
function waitAskedBy(answer: IncomingMessage): number | null {
  const seconds = Number(answer.headers['retry-after'] ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(longestWaitMs, seconds * 1000) : null
}

const mostConflicts = 5

/**
 * Reads, and writes what follows from it, until nobody wrote in between. What `change` returns is the result.
 */
export async function retryOnConflict<T, R>(
  read: () => Promise<T>,
  change: (current: T) => Promise<R>,
  { clock, signal }: { clock: Pick<Clock, 'after'>; signal?: AbortSignal },
): Promise<R> {
  for (let conflicts = 0; ; ) {
    try {
      return await change(await read())
    } catch (error) {
      if (!isKube(error, 'conflict') || ++conflicts > mostConflicts) throw error
      await pause(clock, 10 * 2 ** conflicts * (1 + Math.random()), signal)
      signal?.throwIfAborted()
    }
  }
}
