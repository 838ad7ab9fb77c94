import type { ProjectEvents } from '@slipway/contract'

export type Publish = <K extends keyof ProjectEvents>(
  projectId: string,
  event: K,
  data: ProjectEvents[K],
) => void
export type Subscribe = (projectId: string, listener: (event: string, data: unknown) => void) => () => void

/** Hands each change of a project's objects to whoever listens to that project now. Nothing is kept. */
export function makeEventBus(): {
  publish: Publish
  subscribe: Subscribe
  isWatched: (projectId: string) => boolean
} {
  const listeners = new Map<string, Set<(event: string, data: unknown) => void>>()
  return {
    isWatched: (projectId) => listeners.has(projectId),
    publish(projectId, event, data) {
      for (const listener of listeners.get(projectId) ?? []) listener(event, data)
    },
    subscribe(projectId, listener) {
      const set = listeners.get(projectId) ?? new Set()
      listeners.set(projectId, set)
      set.add(listener)
      return () => {
        set.delete(listener)
        if (set.size === 0) listeners.delete(projectId)
      }
    },
  }
}
