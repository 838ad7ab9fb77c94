import type { ObjectEvents } from '@slipway/contract'
import type { Said } from './order.ts'

export type EventKind = keyof ObjectEvents
type ObjectOf<K extends EventKind> = Exclude<ObjectEvents[K], { deleted: true }>
type Take<T> = (projectId: string, all: readonly Said<T>[]) => unknown

const takers = new Map<EventKind, Take<never>>()
const watchers = new Set<(projectId: string) => void>()

/**
 * Says where events of a kind go. Each resource does so when its code is loaded: one that was never loaded shows
 * nothing, and asks the server, which is newer than any event so far, when it is.
 */
export function takeEvents<K extends EventKind>(kind: K, take: Take<ObjectOf<K>>): void {
  takers.set(kind, take)
}

/** Calls back whenever something happened in a project, whatever it was. */
export function watchProjects(watch: (projectId: string) => void): void {
  watchers.add(watch)
}

/** Brings what the stream said into everything that is shown. */
export function bringIn(kind: EventKind, projectId: string, all: readonly Said<never>[]): void {
  takers.get(kind)?.(projectId, all)
  for (const watch of watchers) watch(projectId)
}

/** The kinds of events that have a place to go. */
export const takenKinds = (): EventKind[] => [...takers.keys()]
