/**
 * All objects of a kind, as they are in the cluster right now: listed once, page by page, and then watched. Questions are
 * answered from memory. Whatever happens to the connection, it catches up by itself, and says meanwhile since when it
 * may be behind.
 */
import { backoffMs } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import { inBackground } from '../../../lib/in-background.ts'
import type { Log } from '../../../lib/log.ts'
import { pause } from '../../../lib/pause.ts'
import type { KubeClient } from './kube-client.ts'
import { isKube } from './kube-error.ts'
import { type Indexes, type Listener, makeObjectStore } from './object-store.ts'
import { isNewer, type Kind, type KubeObject, keyOf } from './objects.ts'
import type { EventType } from './watch.ts'

export interface Reflector<O extends KubeObject, T, I extends string> {
  /** By `namespace/name`, or by name where there are no namespaces. */
  get(key: string): T | null
  all(): T[]
  /** All that an index puts under this word. */
  by(index: I, word: string): T[]
  size(): number
  /** Calls back after each change, also for what happened while the connection was cut. Returns the way to stop. */
  onChange(listener: Listener<T>): () => void
  /**
   * Takes the answer of a write of our own, so that it can be read at once; watch events that are older do not take it
   * back. Only for objects that the selector would find.
   */
  observe(object: O): void
  /** Whether all objects have been listed once. */
  isSynced(): boolean
  /** Resolves with the first full list. */
  synced: Promise<void>
  /** Since when (of the clock) changes may be missing; null while the watch is open. */
  staleSince(): number | null
  /** Why it could not be reached the last time; null when it is. */
  trouble(): Error | null
  close(): Promise<void>
}

export interface ReflectorOptions<O extends KubeObject, T, I extends string> {
  client: Pick<KubeClient, 'list' | 'watch'>
  clock: Clock
  log: Pick<Log, 'warn' | 'error'>
  kind: Kind<O>
  labelSelector?: string
  fieldSelector?: string
  /** All of them when left out. */
  namespace?: string
  /** What is kept of an object: as little as is asked for. What it returns must not hold the object itself. */
  trim: (object: O) => T
  indexes: Indexes<T, I>
  pageSize?: number
  silentMs?: number
  maxLineBytes?: number
  random?: () => number
}

/** How many failures in a row make the longest wait, of some 10 s: a person waits for the cluster to be back. */
const mostFailures = 5
const pageBytes = 128 * 1024 * 1024
const pageMs = 60_000
/** A watch that the server ends sooner did not work. */
const shortestWatchMs = 1_000

/** Begins to list and watch at once. */
export function makeReflector<O extends KubeObject, T, I extends string>(
  options: ReflectorOptions<O, T, I>,
): Reflector<O, T, I> {
  const { client, clock, log, kind, trim } = options
  const { pageSize = 500, random = Math.random } = options
  const scope = {
    ...(options.namespace === undefined ? {} : { namespace: options.namespace }),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.fieldSelector === undefined ? {} : { fieldSelector: options.fieldSelector }),
  }
  const listeners = new Set<Listener<T>>()
  const store = makeObjectStore<T, I>(options.indexes, (key, before, now) => {
    for (const listener of listeners) {
      try {
        listener(key, before, now)
      } catch (error) {
        log.error({ err: error, key }, `What happened to one of ${kind.plural} could not be dealt with`)
      }
    }
  })
  const ends = new AbortController()
  const first = Promise.withResolvers<void>()
  let isSynced = false
  let staleSince: number | null = clock.now()
  let trouble: Error | null = null
  /** All that happened up to this version is in the store; null when the next thing to do is to list. */
  let version: string | null = null
  let seen = ''

  const put = (object: O) =>
    store.put(keyOf(object.metadata), object.metadata.resourceVersion ?? '', () => trim(object))

  async function list(): Promise<void> {
    const present = new Set<string>()
    let next: string | undefined
    do {
      const page = await client.list(
        kind,
        { ...scope, limit: pageSize, ...(next ? { continue: next } : {}) },
        { signal: ends.signal, maxBytes: pageBytes, deadlineMs: pageMs },
      )
      for (const object of page.items) {
        present.add(keyOf(object.metadata))
        put(object)
      }
      next = page.metadata.continue
      if (!next) seen = page.metadata.resourceVersion
    } while (next)
    // What was written after the list is not in it; the watch tells what became of it.
    for (const key of store.keys()) if (!present.has(key)) store.remove(key, seen)
    version = seen
    isSynced = true
    first.resolve()
  }

  function take(type: EventType, object: O): void {
    const at = object.metadata.resourceVersion ?? ''
    if (type === 'DELETED') store.remove(keyOf(object.metadata), at)
    else if (type !== 'BOOKMARK') put(object)
    version = at
    seen = at
  }

  async function watchOn(from: string): Promise<void> {
    let heardAt = clock.now()
    try {
      await client.watch(
        kind,
        { ...scope, resourceVersion: from },
        {
          ...(options.silentMs === undefined ? {} : { silentMs: options.silentMs }),
          ...(options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes }),
          onOpen() {
            staleSince = null
            trouble = null
            heardAt = clock.now()
          },
          onEvent(type, object) {
            heardAt = clock.now()
            take(type, object)
          },
        },
        ends.signal,
      )
    } catch (error) {
      // A dead connection shows late, so it counts from the last that was heard.
      staleSince ??= heardAt
      throw error
    }
    staleSince ??= clock.now()
  }

  /** Lists or watches once. */
  async function step(): Promise<'listed' | 'lived' | 'failed'> {
    const begun = clock.monotonic()
    const from = version
    // Who lists, watches for an instant and lists again does not get on.
    const outcome = () => {
      const lived = from !== null && (version !== from || clock.monotonic() - begun >= shortestWatchMs)
      return lived ? 'lived' : 'failed'
    }
    try {
      if (from === null) {
        await list()
        return 'listed'
      }
      await watchOn(from)
      return outcome()
    } catch (error) {
      if (ends.signal.aborted) return 'lived'
      const result = outcome()
      trouble = error instanceof Error ? error : new Error(String(error))
      // A watch that was silent or cut goes on from where it was. Else nobody knows what it would have told.
      if (!isKube(error, 'away', 'too-many')) version = null
      log.warn({ err: error }, `${kind.plural} are out of sight for a moment`)
      return result
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !ends.signal.aborted; ) {
      const outcome = await step()
      if (outcome === 'lived') failures = 0
      if (outcome !== 'failed') continue
      failures = Math.min(failures + 1, mostFailures)
      await pause(clock, backoffMs(failures, random), ends.signal)
    }
  }

  const running = run()
  inBackground(log, `watching ${kind.plural}`, running)

  return {
    get: store.get,
    all: store.all,
    by: store.by,
    size: store.size,
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    observe(object) {
      // Up to `seen` the watch has told everything: what is as old and not in the store has been deleted since.
      if (isNewer(object.metadata.resourceVersion ?? '', seen)) put(object)
    },
    isSynced: () => isSynced,
    synced: first.promise,
    staleSince: () => staleSince,
    trouble: () => trouble,
    async close() {
      ends.abort()
      await running
    },
  }
}
