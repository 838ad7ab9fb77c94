import type { EndpointId } from '@slipway/contract'
import { watchProjects } from './live-events.ts'
import { keyOf, queryClient } from './query.ts'

/**
 * Loads what an endpoint says of a project again, if it is shown, when something happens in that project: soon, but at
 * most that often. For what has no events of its own.
 */
export function reloadOnEvents(id: EndpointId, everyMs: number): void {
  const noted = new Map<string, number>()
  watchProjects((projectId) => {
    const now = Date.now()
    const last = noted.get(projectId) ?? 0
    // A reload is scheduled already.
    if (last > now) return
    const at = Math.max(now, last + everyMs)
    noted.set(projectId, at)
    setTimeout(() => void queryClient.invalidateQueries({ queryKey: keyOf(id, { projectId }) }), at - now)
  })
}
