import type { ActivityKind, ActivityObject, ActivityPage } from '@slipway/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { watchProjects } from './live-events.ts'
import { keyOf, queryClient } from './query.ts'

/** Each is left out where it does not matter. */
export interface ActivityFilter {
  kind?: ActivityKind | undefined
  object_type?: ActivityObject | undefined
  object_id?: string | undefined
  actor?: 'user' | 'system' | undefined
}

/** Whose log is read: that of a project, or the user's own. */
export type ActivitySource = { projectId: string; filter: ActivityFilter } | 'account'

/** Some of what happens tells nobody, such as a sign-in: now and then the log is asked. */
const pollMs = 30_000
/** What happens to the objects of a project lets its log be asked at most so often. */
const notedMs = 5_000

/** A page of a log: the newest entries, or those older than `before`. */
export function loadActivity(
  source: ActivitySource,
  { before, limit }: { before?: string; limit?: number },
  signal?: AbortSignal,
): Promise<ActivityPage> {
  const page = { ...(before ? { before } : {}), ...(limit ? { limit } : {}) }
  const aborted = signal ? { signal } : {}
  if (source === 'account') return call('activity.ofAccount', { query: page, ...aborted })
  const { projectId, filter } = source
  return call('activity.ofProject', { params: { projectId }, query: { ...filter, ...page }, ...aborted })
}

/** The newest entries of a log, kept fresh; with another filter the old ones stay until the new ones are there. */
export function useNewestActivity(source: ActivitySource, limit?: number) {
  const key =
    source === 'account'
      ? keyOf('activity.ofAccount')
      : [...keyOf('activity.ofProject', { projectId: source.projectId }), source.filter]
  return useQuery({
    queryKey: [...key, limit ?? null],
    queryFn: ({ signal }) => loadActivity(source, limit ? { limit } : {}, signal),
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  })
}

const noted = new Map<string, number>()

/** Something happened in a project: what is shown of its log is asked for again, soon but not too often. */
watchProjects((projectId) => {
  const now = Date.now()
  const last = noted.get(projectId) ?? 0
  // One is waiting for its time already.
  if (last > now) return
  const at = Math.max(now, last + notedMs)
  noted.set(projectId, at)
  setTimeout(
    () => void queryClient.invalidateQueries({ queryKey: keyOf('activity.ofProject', { projectId }) }),
    at - now,
  )
})
