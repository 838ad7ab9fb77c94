/**
 * Puts responses and events into order. They arrive over different connections, so either may be older than what
 * arrived before it. A response includes all changes up to its revision; an event has the state of one object at its
 * revision or later. The newest known state of an object is shown.
 */
import type { Gone } from '@slipway/contract'
import type { Revision } from './revision.ts'

/** The state of one object from an event or from the response to a change. Without a revision it is always taken. */
export interface Said<T> {
  object: T | Gone
  at: Revision | null
}

/** Responses older than this can hardly still be on their way. */
const objectsRemembered = 20_000

const isGone = (object: object): object is Gone => 'deleted' in object

export type Order = ReturnType<typeof makeOrder>

export function makeOrder() {
  /** Epochs in the order they were seen. Their names have none, as the server's clock may have been set back. */
  const epochs: string[] = []
  /** The newest known state of each object, by kind and id; the latest come last. */
  const said = new Map<string, { kind: string; object: { id: string } | Gone; at: Revision }>()
  /** The revision of the response that is shown, by its name. */
  const answered = new Map<string, Revision>()
  let latest: Revision | null = null

  function rankOf({ epoch }: Revision): number {
    const known = epochs.indexOf(epoch)
    return known >= 0 ? known : epochs.push(epoch) - 1
  }

  /** Positive when `a` is newer. */
  const compare = (a: Revision, b: Revision): number => rankOf(a) - rankOf(b) || a.number - b.number

  /** Called first with each revision, because epochs are ordered by when they were first seen. */
  function meet(at: Revision): void {
    rankOf(at)
    if (!latest || compare(at, latest) > 0) latest = at
  }

  function remember(kind: string, object: { id: string } | Gone, at: Revision): boolean {
    const key = `${kind} ${object.id}`
    const known = said.get(key)
    if (known && compare(at, known.at) < 0) return false
    said.delete(key)
    said.set(key, { kind, object, at })
    if (said.size > objectsRemembered) {
      const [oldest = key] = said.keys()
      said.delete(oldest)
    }
    return true
  }

  return {
    /**
     * Stores states of objects and returns those that are new. A deletion is final: without a revision it counts as
     * newer than everything so far.
     */
    hear<T extends { id: string }>(kind: string, all: readonly Said<T>[]): Said<T>[] {
      return all.filter(({ object, at }) => {
        const after = isGone(object) && latest ? { ...latest, number: latest.number + 0.5 } : null
        const from = at ?? after
        if (!from) return true
        meet(from)
        return remember(kind, object, from)
      })
    },

    /** A shown list after new states: known objects change in place, new ones come last, deleted ones are removed. */
    apply<T extends { id: string }>(name: string, items: readonly T[], news: readonly Said<T>[]): T[] {
      const shown = answered.get(name)
      const byId = new Map(items.map((item) => [item.id, item]))
      for (const { object, at } of news) {
        if (at && shown && compare(at, shown) <= 0) continue
        if (isGone(object)) byId.delete(object.id)
        else byId.set(object.id, object)
      }
      return [...byId.values()]
    },

    /** Whether a known state is newer than the response that is shown under that name. */
    isNews(name: string, at: Revision | null): boolean {
      const shown = answered.get(name)
      return !at || !shown || compare(at, shown) > 0
    },

    /**
     * An answer with a list of everything there is of a kind that `belongs`, with what was said since. Null when a
     * newer answer of that name is shown already.
     */
    list<T extends { id: string }>(
      name: string,
      kind: string,
      items: readonly T[],
      at: Revision | null,
      belongs: (item: T) => boolean,
    ): T[] | null {
      const before = answered.get(name)
      if (!at) {
        answered.delete(name)
        return [...items]
      }
      meet(at)
      if (before && compare(at, before) < 0) return null
      answered.set(name, at)
      const byId = new Map(items.map((item) => [item.id, item]))
      for (const known of said.values()) {
        if (known.kind !== kind || compare(known.at, at) <= 0) continue
        // Kept under its kind, whose objects are all of this type.
        const object = known.object as T | Gone
        if (isGone(object)) byId.delete(object.id)
        else if (byId.has(object.id) || belongs(object)) byId.set(object.id, object)
      }
      return [...byId.values()]
    },

    /** A response with one object, or its newer known state. Null when a newer response is shown already. */
    one<T extends { id: string }>(name: string, kind: string, object: T, at: Revision | null): T | null {
      const before = answered.get(name)
      if (!at) {
        answered.delete(name)
        return object
      }
      meet(at)
      if (before && compare(at, before) < 0) return null
      answered.set(name, at)
      const known = said.get(`${kind} ${object.id}`)
      // A deleted object is requested again, and that response says so.
      if (!known || isGone(known.object) || compare(known.at, at) <= 0) return object
      // Kept under its kind, whose objects are all of this type.
      return { ...object, ...(known.object as T) }
    },

    /** Clears everything, because another user is signed in. */
    clear(): void {
      epochs.length = 0
      said.clear()
      answered.clear()
      latest = null
    },
  }
}
