/**
 * Tells listeners what objects are like now. Services say only that an object changed, on whichever server; the bus of
 * every server hears it and reads the object anew, one batch at a time. So the last event of an object is its last
 * state, in whatever order its changes were announced, and many changes at once are one read. Every change has a
 * number, the same at all servers, which is heard before the read: an event, and an answer that was begun at a number,
 * includes at least all changes up to it.
 */
import { type Gone, type ObjectEvents, type ProjectRole, projectRoles } from '@slipway/contract'
import { z } from 'zod'
import type { Peers, Topic as PeerTopic } from '../lib/peers.ts'
import { type Change, keyOf, makeChangeLog } from './change-log.ts'

export type EventKind = keyof ObjectEvents

/**
 * Who is in a project now, by account; `moved` is who came, left or became something else. `ends`: once they were told of
 * the change, nobody is in it any more.
 */
export interface Members {
  roles: Readonly<Record<string, ProjectRole>>
  moved?: readonly string[] | undefined
  ends?: boolean | undefined
}

/**
 * An object was changed, created or deleted, and that can be read by now. `members`: for projects that were created or
 * deleted, and whenever their members change.
 */
export type Changed = (kind: EventKind, projectId: string, id: string, members?: Members) => void

/** An object as somebody of that role may see it; the object itself where that makes no difference. */
export type AsSeenBy<T> = (object: T, role: ProjectRole) => T

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

/**
 * What is listened to: a project, by an account or by whoever may see everything; or all projects of an account with
 * what it is in each, and those that come later.
 */
export type Topic =
  | { projectId: string; by: { accountId: string; role: ProjectRole } | null }
  | { accountId: string; roles: ReadonlyMap<string, ProjectRole> }

interface Listener {
  topic: Topic
  hear: Hear
  /**
   * What it is where, of the projects that it listens to: as it was when it began, and as was heard since. It is its own: of the
   * other members of these projects it says nothing.
   */
  roles: Map<string, ProjectRole>
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

const changes: PeerTopic<Change & { members?: Members | undefined }> = {
  name: 'changed',
  body: z.object({
    kind: z.string(),
    projectId: z.string(),
    id: z.string(),
    members: z
      .object({
        roles: z.record(z.string(), z.enum(projectRoles)),
        moved: z.array(z.string()).optional(),
        ends: z.boolean().optional(),
      })
      .optional(),
  }),
}

interface Numbered {
  number: number
  change: Change
}

export type EventBus = ReturnType<typeof makeEventBus>

export function makeEventBus({ peers, onFailure }: EventBusOptions) {
  const readers = new Map<string, (ids: readonly string[]) => Promise<readonly { id: string }[]>>()
  const listeners = new Set<Listener>()
  /** Those who have a role in a project that they listen to. */
  const byProject = new Map<string, Set<Listener>>()
  const byAccount = new Map<string, Set<Listener>>()
  const views = new Map<string, AsSeenBy<unknown>>()
  /** Projects that nobody is in any more once the change of this number was sent. */
  const ending = new Map<string, number>()
  /** By account, the number of the change that last made it come, leave or become something else. */
  const moves = new Map<string, number>()
  const onMoved: ((accountIds: readonly string[], projectId: string) => void)[] = []
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

  const isWatched = (projectId: string) => byProject.has(projectId)

  const accountOf = (topic: Topic) => ('accountId' in topic ? topic.accountId : topic.by?.accountId)

  /** Notes what a listener is in a project; null: no member. */
  function setRole(listener: Listener, projectId: string, role: ProjectRole | null): void {
    if (role === null) {
      listener.roles.delete(projectId)
      removeFrom(byProject, projectId, listener)
    } else {
      listener.roles.set(projectId, role)
      addTo(byProject, projectId, listener)
    }
  }

  function forget(listener: Listener): void {
    listener.state = 'over'
    arrivals = arrivals.filter((one) => one.listener !== listener)
    listeners.delete(listener)
    for (const projectId of listener.roles.keys()) removeFrom(byProject, projectId, listener)
    removeFrom(byAccount, accountOf(listener.topic) ?? '', listener)
  }

  /** Events as they go to somebody of a role; made once for each role. */
  function makeSeen() {
    const made = new Map<BusEvent, Map<ProjectRole, BusEvent>>()
    return (event: BusEvent, role: ProjectRole): BusEvent => {
      const view = views.get(event.name)
      if (!view || (event.data as Partial<Gone>).deleted) return event
      const ofEvent = made.get(event) ?? new Map<ProjectRole, BusEvent>()
      made.set(event, ofEvent)
      const seen = ofEvent.get(role) ?? { ...event, data: view(event.data, role) }
      ofEvent.set(role, seen)
      return seen
    }
  }

  /** Once whoever was in a project was told of its end: what is in it may change still, and is nobody's any more. */
  function endProject(id: string, sentUpTo: number): void {
    if ((ending.get(id) ?? Number.POSITIVE_INFINITY) > sentUpTo) return
    ending.delete(id)
    for (const listener of [...(byProject.get(id) ?? [])])
      if (accountOf(listener.topic) !== undefined) setRole(listener, id, null)
  }

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
    const { topic, roles } = listener
    // Whoever came or left meanwhile is better off with the lists: of what they left nothing is said any more.
    const hasMoved = () => since !== null && (moves.get(accountOf(topic) ?? '') ?? -1) > since
    const missed =
      since === null || hasMoved()
        ? null
        : log.after(since)?.filter(({ change }) => roles.has(change.projectId))
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
    // It may have come or left while that was read.
    const isReplayed = replay !== null && !hasMoved()
    send([listener], hello(revisionOf(now), isReplayed))
    if (!isReplayed) return
    const seen = makeSeen()
    for (const [i, event] of replay.entries()) {
      const role = roles.get(missed?.[i]?.change.projectId ?? '')
      if (role !== undefined) send([listener], seen(event, role))
    }
  }

  async function sendChanges(): Promise<void> {
    const batch = [...dirty.values()].slice(0, objectsAtOnce)
    for (const { change } of batch) dirty.delete(keyOf(change))
    const seen = makeSeen()
    const watched = batch.filter(({ change }) => isWatched(change.projectId))
    try {
      for (const [i, event] of (await read(watched)).entries()) {
        const one = watched[i]
        if (!one) continue
        for (const listener of [...(byProject.get(one.change.projectId) ?? [])]) {
          const role = listener.roles.get(one.change.projectId)
          if (one.number > listener.knows && role !== undefined) send([listener], seen(event, role))
        }
        if (one.change.kind === 'project') endProject(one.change.projectId, one.number)
      }
    } catch (error) {
      haveListsFetched(error)
      return
    }
    for (const { number, change } of batch)
      if (change.kind === 'project') endProject(change.projectId, number)
    sent = batch.at(-1)?.number ?? sent
  }

  /** Nobody knows what changed up to now: all listeners fetch their lists. */
  function sendToLists(): void {
    wasGap = false
    const now = peers.position()
    log.forget(now)
    // The lists include them.
    dirty.clear()
    for (const [id, number] of ending) endProject(id, number)
    sent = now
    for (const listener of listeners) listener.knows = now
    send(listeners, hello(revisionOf(now), false))
  }

  /** A listener that cannot take an event hears no more: of what follows it would make a wrong picture. */
  function send(to: Iterable<Listener>, event: BusEvent): void {
    for (const listener of [...to]) {
      if (listener.state !== 'greeted') continue
      try {
        listener.hear(event)
      } catch (error) {
        forget(listener)
        onFailure(error)
      }
    }
  }

  async function work(): Promise<void> {
    // What changes in one go is read once.
    await null
    while (arrivals.length > 0 || dirty.size > 0 || wasGap) {
      const arrived = arrivals
      arrivals = []
      for (const arrival of arrived) await greet(arrival).catch(haveListsFetched)
      if (wasGap) sendToLists()
      if (dirty.size > 0) await sendChanges().catch(haveListsFetched)
    }
    working = null
  }

  /** What failed was not told: those who listen learn it from their lists. */
  function haveListsFetched(error: unknown): void {
    onFailure(error)
    sendToLists()
  }

  function wake(): void {
    working ??= work()
  }

  /** Those who came or left fetch their lists: nobody told them of what they had no part in. */
  function noteMembers({ roles, moved = [], ends }: Members, projectId: string, number: number): void {
    // Of an end those are told first who still wait to hear of an earlier one, as it goes from the bin for good.
    for (const listener of ends ? [] : [...(byProject.get(projectId) ?? [])]) {
      const accountId = accountOf(listener.topic)
      if (accountId !== undefined && !roles[accountId]) setRole(listener, projectId, null)
    }
    for (const [accountId, role] of Object.entries(roles))
      for (const listener of byAccount.get(accountId) ?? [])
        if ('accountId' in listener.topic || listener.topic.projectId === projectId)
          setRole(listener, projectId, role)
    ending.delete(projectId)
    if (ends) {
      ending.set(projectId, number)
      const left = Object.keys(roles)
      for (const accountId of left) moves.set(accountId, number)
      for (const listener of onMoved) listener(left, projectId)
    }
    for (const accountId of moved) {
      moves.set(accountId, number)
      for (const listener of byAccount.get(accountId) ?? [])
        if ('accountId' in listener.topic && listener.state === 'greeted')
          arrivals.push({ listener, after: null })
    }
    if (moved.length > 0) for (const listener of onMoved) listener(moved, projectId)
  }

  peers.hear(changes, function noteChange({ members: now, ...change }, number) {
    if (now) noteMembers(now, change.projectId, number)
    if (arrivals.length > 0) wake()
    log.note(change, number)
    // What nobody listens to is not even read.
    if (!isWatched(change.projectId)) return endProject(change.projectId, number)
    dirty.delete(keyOf(change))
    dirty.set(keyOf(change), { number, change })
    wake()
  })
  function noteGap(): void {
    wasGap = true
    wake()
  }
  peers.onGap(noteGap)

  return {
    isWatched,

    /** How objects of a kind are read. */
    reads<K extends EventKind>(
      kind: K,
      readObjects: ReadObjects<K>,
      asSeenBy?: AsSeenBy<Exclude<ObjectEvents[K], Gone>>,
    ): void {
      readers.set(kind, readObjects)
      // Each kind is only ever given objects of its own.
      if (asSeenBy) views.set(kind, asSeenBy as AsSeenBy<unknown>)
    },

    changed(kind: EventKind, projectId: string, id: string, members?: Members): void {
      peers.tell(changes, { kind, projectId, id, ...(members && { members }) })
    },

    /** Whoever listens to this server fetches everything anew: something changed that is no object of a project. */
    haveAllRead: noteGap,

    /** Calls back when accounts came into a project, left it or became something else there, at whichever server. */
    onMoved: (listener: (accountIds: readonly string[], projectId: string) => void) =>
      void onMoved.push(listener),

    /** The number of the change that last moved an account: what was read of its roles before may be old. */
    moveOf: (accountId: string): number => moves.get(accountId) ?? -1,

    /** Calls back with the id of each object of a kind that changed, and its project's, wherever it was changed. */
    onChanged(kind: EventKind, listener: (id: string, projectId: string) => void): void {
      peers.hear(changes, (change) => change.kind === kind && listener(change.id, change.projectId))
    },

    /** Calls back when any object of a project changed, wherever it was changed. */
    onAnyChange: (listener: () => void) => peers.hear(changes, listener),

    /** For an answer that is begun now: it will include at least all changes up to this revision. */
    revision,

    /** All changes up to this revision were sent to every listener that had its first event. */
    sentRevision: (): string => (working === null ? revision() : revisionOf(sent)),

    /**
     * Listens from now on, or to what changed after a revision. The first event, `hello`, says whether that could
     * be had. Returns the way to stop.
     */
    subscribe(topic: Topic, after: string | null, hear: Hear): () => void {
      const listener: Listener = { topic, hear, roles: new Map(), state: 'new', knows: 0 }
      listeners.add(listener)
      if ('accountId' in topic) for (const [id, role] of topic.roles) setRole(listener, id, role)
      else setRole(listener, topic.projectId, topic.by?.role ?? 'owner')
      const accountId = accountOf(topic)
      if (accountId !== undefined) addTo(byAccount, accountId, listener)
      arrivals.push({ listener, after })
      wake()
      return () => forget(listener)
    },

    /** For tests: settles when everything was sent. */
    async idle(): Promise<void> {
      while (working !== null) await working
    },
  }
}

function addTo<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  sets.set(key, (sets.get(key) ?? new Set<T>()).add(value))
}

function removeFrom<T>(sets: Map<string, Set<T>>, key: string, value: T): void {
  const set = sets.get(key)
  set?.delete(value)
  if (set?.size === 0) sets.delete(key)
}
