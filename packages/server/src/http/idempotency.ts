import { createHash } from 'node:crypto'
import { type CallOutput, type Endpoint, messages, headers as names } from '@slipway/contract'
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { IdempotencyKeys, KeyedRequest } from '../db/idempotency-keys.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'

export type Idempotency = ReturnType<typeof makeIdempotency>

const keptMs = 24 * 60 * 60_000
const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** A request that creates an object for an account; `body` is what the endpoint understood of it. */
export interface KeyedCall {
  request: FastifyRequest
  reply: FastifyReply
  accountId: string
  body: unknown
}

/**
 * Requests that carry an `Idempotency-Key` create an object once: the same request with the same key gets the answer
 * of the first one. Keys are kept for a day. A request that failed created nothing, and its key may be used again.
 */
export function makeIdempotency(options: { keys: IdempotencyKeys; clock: Clock; log: FastifyBaseLogger }) {
  const { keys, clock, log } = options
  /** The requests under way, by account, call and key. */
  const running = new Map<string, Promise<unknown>>()

  /** The answer that a key has already; undefined when it was not used yet. */
  async function earlier<E extends Endpoint>(
    endpoint: E,
    request: KeyedRequest,
    list: () => Promise<readonly CallOutput<E>[]>,
  ): Promise<CallOutput<E> | undefined> {
    const row = await keys.find(request)
    if (!row) return undefined
    if (row.request_hash !== request.request_hash) throw new Problem(422, messages.idempotencyKeyReused)
    const stored = row.answer === null ? null : endpoint.response?.safeParse(JSON.parse(row.answer))
    // The schema is that of the endpoint's answer.
    if (stored?.success) return stored.data as CallOutput<E>
    // The server ended between storing the object and its answer, or another version stored it: read it anew.
    const object = (await list()).find((one) => (one as { id?: unknown }).id === row.object_id)
    if (object === undefined) throw new Problem(404, messages.createdObjectDeleted)
    return object
  }

  async function first<E extends Endpoint>(
    endpoint: E,
    request: KeyedRequest,
    handle: () => Promise<CallOutput<E>>,
  ): Promise<CallOutput<E>> {
    const output = await keys.during(request, handle)
    try {
      await keys.storeAnswer(request, JSON.stringify(endpoint.response?.parse(output)))
    } catch (error) {
      // The object is stored and so is its key.
      log.warn({ err: error }, 'the answer to a request with an idempotency key could not be stored')
    }
    return output
  }

  return {
    /**
     * Handles a request that creates an object, once for its key. `list` reads the objects of that kind which the
     * user may see.
     */
    async once<E extends Endpoint>(
      endpoint: E,
      { request, reply, accountId, body }: KeyedCall,
      handle: () => Promise<CallOutput<E>>,
      list: () => Promise<readonly CallOutput<E>[]>,
    ): Promise<CallOutput<E>> {
      const key = keyOf(request)
      if (key === null) return handle()
      const path = request.url.split('?', 1)[0]
      const content = JSON.stringify([request.method, path, body])
      const keyed: KeyedRequest = {
        account_id: accountId,
        endpoint: endpoint.id,
        key,
        request_hash: createHash('sha256').update(content).digest('hex'),
      }
      const name = `${accountId} ${endpoint.id} ${key}`
      // One of two at once waits for the other, whatever becomes of it.
      while (running.has(name)) await running.get(name)?.catch(() => {})
      const replayed = (answer: CallOutput<E>) => {
        reply.header('idempotency-replayed', 'true')
        return answer
      }
      const work = earlier(endpoint, keyed, list).then(async (answer) => {
        if (answer !== undefined) return replayed(answer)
        try {
          return await first(endpoint, keyed, handle)
        } catch (error) {
          // Another server may have had the same request at the same time. One of them stored the key.
          const other = await earlier(endpoint, keyed, list).catch(() => undefined)
          if (other === undefined) throw error
          return replayed(other)
        }
      })
      running.set(name, work)
      try {
        return await work
      } finally {
        running.delete(name)
      }
    },

    /** Deletes the keys that are over a day old. */
    sweep: (): Promise<void> => keys.deleteBefore(isoTime(clock.now() - keptMs)),
  }
}

function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers[names.idempotencyKey]
  if (key === undefined) return null
  if (typeof key !== 'string' || !uuid.test(key)) throw new Problem(400, messages.invalidIdempotencyKey)
  return key.toLowerCase()
}
