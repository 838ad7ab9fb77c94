/** One connection over which the server tells what happens to objects of a kind, a line of JSON for each event. */
import type { Clock } from '../../../lib/clock.ts'
import { lineSplitter } from '../../../lib/line-splitter.ts'
import type { Caller } from './caller.ts'
import { errorOfEvent, KubeError } from './kube-error.ts'
import type { KubeObject } from './objects.ts'
import { ConnectionLost } from './wire.ts'

/** Which objects of a kind, and from where on. */
export interface Query {
  labelSelector?: string
  fieldSelector?: string
  limit?: number
  continue?: string
  resourceVersion?: string
}

/** With the question mark, or nothing. */
export function queryOf(query: Record<string, string | number | undefined>): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'

export interface WatchHooks<T> {
  onOpen?: () => void
  /** Of a BOOKMARK the object holds nothing but its version. What this throws ends the watch. */
  onEvent: (type: EventType, object: T) => void
  /** A watch without a byte for so long is taken for dead. */
  silentMs?: number
  maxLineBytes?: number
}

/** The server sends a bookmark about every minute. */
const mostSilentMs = 150_000
/** No object may have more than 3 MB. */
const longestLineBytes = 8 * 1024 * 1024
/** Servers end watches after a time of their choice; this one is ours, spread so that not all end together. */
const lifeSeconds = () => Math.round(300 * (1 + Math.random()))

/** As `KubeClient.watch` has it. */
export async function watch<T extends KubeObject>(
  caller: Caller,
  path: string,
  query: Query,
  { onOpen, onEvent, silentMs = mostSilentMs, maxLineBytes = longestLineBytes }: WatchHooks<T>,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
): Promise<void> {
  const words = queryOf({
    ...query,
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: lifeSeconds(),
  })
  const own = new AbortController()
  const follow = () => own.abort(signal.reason)
  signal.addEventListener('abort', follow, { once: true })
  try {
    signal.throwIfAborted()
    const answer = await caller.open({ method: 'GET', path: path + words }, own.signal)
    onOpen?.()
    await new Promise<void>((resolve, reject) => {
      const fail = (error: unknown) => {
        stop()
        reject(error)
        answer.destroy()
      }
      const tooSilent = () =>
        fail(new KubeError('away', `The API server said nothing for ${silentMs / 1000} s`))
      let cancel = clock.after(silentMs, tooSilent)
      const stop = () => {
        cancel()
        cancel = () => {}
      }
      const split = lineSplitter(
        (line) => {
          if (answer.destroyed) return
          try {
            const { type, object } = eventIn<T>(line)
            onEvent(type, object)
          } catch (error) {
            fail(error)
          }
        },
        {
          maxBytes: maxLineBytes,
          onTooLong: () =>
            fail(new KubeError('broken', `A line of the watch has more than ${maxLineBytes} bytes`)),
        },
      )
      answer.on('data', (part: Buffer) => {
        if (answer.destroyed) return
        cancel()
        cancel = clock.after(silentMs, tooSilent)
        split(part)
      })
      answer.on('end', () => {
        stop()
        resolve()
      })
      const lost = (error?: Error) =>
        fail(signal.aborted ? signal.reason : new ConnectionLost(error ?? new Error('the watch was cut')))
      answer.on('error', lost)
      answer.on('close', () => lost())
    })
  } finally {
    signal.removeEventListener('abort', follow)
    own.abort()
  }
}

const eventTypes: ReadonlySet<unknown> = new Set<EventType>(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK'])

/** Throws the failure that an ERROR event tells of, and one where the line cannot be understood. */
function eventIn<T extends KubeObject>(line: string): { type: EventType; object: T } {
  let event: { type?: unknown; object?: Partial<T> | null } | null
  try {
    event = JSON.parse(line)
  } catch (cause) {
    throw new KubeError('broken', 'A line of the watch is no JSON', { cause })
  }
  if (event?.type === 'ERROR') throw errorOfEvent(event.object)
  const meta = event?.object?.metadata
  if (!eventTypes.has(event?.type) || typeof meta?.resourceVersion !== 'string')
    throw new KubeError('broken', 'A line of the watch holds no event')
  return event as { type: EventType; object: T }
}
