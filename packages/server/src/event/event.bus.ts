/**
 * Tells listeners what objects are like now. Services say only that an object changed, on whichever server; the bus of
 * every server hears it and reads the object anew, one batch at a time. So the last event of an object is its last
 * state, in whatever order its changes were announced, and many changes at once are one read. Every change has a
 * number, the same at all servers, which is heard before the read: an event, and an answer that was begun at a number,
 * includes at least all changes up to it.
 */
import type { Gone, ObjectEvents } from '@slipway/contract'
import { z } from 'zod'
import type { Peers, Topic as PeerTopic } from '../lib/peers.ts'
import { type Change, keyOf, makeChangeLog } from './change-log.ts'

export type EventKind = keyof ObjectEvents

/**
 * An object was changed, created or deleted, and that can be read by now. `accountId`: whose project it is, for
 * projects themselves.
 */
export type Changed = (kind: EventKind, projectId: string, id: string, accountId?: string) => void

/** Reads objects as they go over the wire; those that are not there any more are left out. */
export type ReadObjects<K extends EventKind> = (
  ids: readonly string[],
) => Promise<readonly Exclude<ObjectEvents[K], Gone>[]>

export interface BusEvent {
  name: string
  /** The listener knows everything up to this revision; null when more is to come before that is true. */
  revision: string | null
  data: unknown
}

type Hear = (event: BusEvent) => void

/** What is listened to: a project, or all projects of an account with those that come later. */
export type Topic = { projectId: string } | { accountId: string; projectIds: readonly string[] }

interface Listener {
  topic: Topic
  hear: Hear
  /** `greeted`: its first event was sent, and all others go to it. */
  state: 'new' | 'greeted' | 'over'
  /** Its last `hello`, or what came with it, includes all changes up to this number. */
  knows: number
}

interface Arrival {
  listener: Listener
  after: string | null
}

const objectsInLog = 20_000
const objectsAtOnce = 500
/** Whoever missed more is better off with the lists. */
const mostReplayed = 1_000

export interface EventBusOptions {
  peers: Pick<Peers, 'epoch' | 'position' | 'tell' | 'hear' | 'onGap'>
  /** The objects could not be read; the listeners were told to fetch their lists. */
  onFailure: (error: unknown) => void
}

const changes: PeerTopic<Change & { accountId?: string | undefined }> = {
  name: 'changed',
  body: z.object({
    kind: z.string(),
    projectId: z.string(),
    id: z.string(),
    accountId: z.string().optional(),
  }),
}

interface Numbered {
  number: number
  change: Change
}

export type EventBus = ReturnType<typeof makeEventBus>

export function makeEventBus({ peers, onFailure }: EventBusOptions) {
  const readers = new Map<string, (ids: readonly string[]) => Promise<readonly { id: string }[]>>()
  const byProject = new Map<string, Set<Listener>>()
  const byAccount = new Map<string, Set<Listener>>()
  /** Of all projects whose account ever listened, or that were created or deleted since the server started. */
  const owners = new Map<string, string>()
  const log = makeChangeLog(objectsInLog)
  // Whoever told the last of it may not have lived to tell all.
  if (peers.position() > 0) log.forget(peers.position())
  /** What was not sent yet, by the number of its last change. */
  const dirty = new Map<string, Numbered>()
  let arrivals: Arrival[] = []
  let wasGap = false
  /** All changes up to this number were sent to whoever listens. */
  let sent = peers.position()
  let working: Promise<void> | null = null

  const revisionOf = (number: number) => `${peers.epoch}-${number}`
  const revision = () => revisionOf(peers.position())

  /** Null for a revision that is not of this count, or of what was not heard yet. */
  function numberOf(text: string): number | null {
    const digits = text.startsWith(`${peers.epoch}-`) ? text.slice(peers.epoch.length + 1) : ''
    return /^\d{1,15}$/.test(digits) && Number(digits) <= peers.position() ? Number(digits) : null
  }

  const ofAccount = (projectId: string) => byAccount.get(owners.get(projectId) ?? '')
  const isWatched = (projectId: string) => byProject.has(projectId) || ofAccount(projectId) !== undefined
  const listenersOf = (change: Change | undefined) =>
    change ? [...(byProject.get(change.projectId) ?? []), ...(ofAccount(change.projectId) ?? [])] : []
  const concerns = (topic: Topic, { projectId }: Change) =>
    'projectId' in topic ? topic.projectId === projectId : owners.get(projectId) === topic.accountId

  /** The changed objects as they are now, in the same order. */
  async function read(changed: readonly Numbered[]): Promise<BusEvent[]> {
    const byKind = Map.groupBy(changed, ({ change }) => change.kind)
    const found = new Map<string, unknown>()
    await Promise.all(
      [...byKind].map(async ([kind, ofKind]) => {
        const objects = (await readers.get(kind)?.(ofKind.map(({ change }) => change.id))) ?? []
        for (const object of objects) found.set(`${kind} ${object.id}`, object)
      }),
    )
    return changed.map(({ number, change }) => {
      const gone: Gone = { id: change.id, project_id: change.projectId, deleted: true }
      return {
        name: change.kind,
        revision: revisionOf(number),
        data: found.get(keyOf(change)) ?? gone,
      }
    })
  }

  const hello = (at: string, replayed: boolean): BusEvent => ({
    name: 'hello',
    revision: replayed ? null : at,
    data: { revision: at, replayed },
  })

  async function greet({ listener, after }: Arrival): Promise<void> {
    const since = after === null ? null : numberOf(after)
    const now = peers.position()
    const missed =
      since === null ? null : log.after(since)?.filter((one) => concerns(listener.topic, one.change))
    const replay =
      missed && missed.length <= mostReplayed
        ? await read(missed).catch((error: unknown) => {
            onFailure(error)
            return null
          })
        : null
    if (listener.state === 'over') return
    listener.state = 'greeted'
    listener.knows = now
    for (const event of [hello(revisionOf(now), replay !== null), ...(replay ?? [])]) listener.hear(event)
  }

  async function sendChanges(): Promise<void> {
    const batch = [...dirty.values()].slice(0, objectsAtOnce)
    for (const { change } of batch) dirty.delete(keyOf(change))
    const watched = batch.filter(({ change }) => isWatched(change.projectId))
    try {
      for (const [i, event] of (await read(watched)).entries()) {
        const { number = 0, change } = watched[i] ?? {}
        const isNews = ({ knows }: Listener) => number > knows
        send(listenersOf(change).filter(isNews), event)
      }
    } catch (error) {
      onFailure(error)
      sendToLists()
      return
    }
    sent = batch.at(-1)?.number ?? sent
  }

  /** Nobody knows what changed up to now: all listeners fetch their lists. */
  function sendToLists(): void {
    wasGap = false
    const now = peers.position()
    log.forget(now)
    // The lists include them.
    dirty.clear()
    sent = now
    const all = [...byProject.values(), ...byAccount.values()].flatMap((set) => [...set])
    for (const listener of all) listener.knows = now
    send(all, hello(revisionOf(now), false))
  }

  function send(to: readonly Listener[], event: BusEvent): void {
    for (const listener of to) if (listener.state === 'greeted') listener.hear(event)
  }

  async function work(): Promise<void> {
    // What changes in one go is read once.
    await null
    while (arrivals.length > 0 || dirty.size > 0 || wasGap) {
      const arrived = arrivals
      arrivals = []
      for (const arrival of arrived) await greet(arrival)
      if (wasGap) sendToLists()
      if (dirty.size > 0) await sendChanges()
    }
    working = null
  }

  function wake(): void {
    working ??= work()
  }

  peers.hear(changes, function noteChange({ accountId, ...change }, number) {
    if (accountId !== undefined) owners.set(change.projectId, accountId)
    log.note(change, number)
    // What nobody listens to is not even read.
    if (!isWatched(change.projectId)) return
    dirty.delete(keyOf(change))
    dirty.set(keyOf(change), { number, change })
    wake()
  })
  peers.onGap(function noteGap() {
    wasGap = true
    wake()
  })

  return {
    isWatched,

    /** How objects of a kind are read. */
    reads<K extends EventKind>(kind: K, readObjects: ReadObjects<K>): void {
      readers.set(kind, readObjects)
    },

    changed(kind: EventKind, projectId: string, id: string, accountId?: string): void {
      peers.tell(changes, { kind, projectId, id, ...(accountId !== undefined && { accountId }) })
    },

    /** Calls back with the id of each object of a kind that changed, and its project's, wherever it was changed. */
    onChanged(kind: EventKind, listener: (id: string, projectId: string) => void): void {
      peers.hear(changes, (change) => change.kind === kind && listener(change.id, change.projectId))
    },

    /** For an answer that is begun now: it will include at least all changes up to this revision. */
    revision,

    /** All changes up to this revision were sent to every listener that had its first event. */
    sentRevision: (): string => (working === null ? revision() : revisionOf(sent)),

    /**
     * Listens from now on, or to what changed after a revision. The first event, `hello`, says whether that could
     * be had. Returns the way to stop.
     */
    subscribe(topic: Topic, after: string | null, hear: Hear): () => void {
      const listener: Listener = { topic, hear, state: 'new', knows: 0 }
      const [sets, key] =
        'projectId' in topic
          ? ([byProject, topic.projectId] as const)
          : ([byAccount, topic.accountId] as const)
      if ('accountId' in topic) for (const id of topic.projectIds) owners.set(id, topic.accountId)
      const set = sets.get(key) ?? new Set()
      sets.set(key, set.add(listener))
      arrivals.push({ listener, after })
      wake()
      return () => {
        listener.state = 'over'
        arrivals = arrivals.filter((one) => one.listener !== listener)
        set.delete(listener)
        if (set.size === 0 && sets.get(key) === set) sets.delete(key)
      }
    },

    /** For tests: settles when everything was sent. */
    async idle(): Promise<void> {
      while (working !== null) await working
    },
  }
}
