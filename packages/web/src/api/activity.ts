import type { ActivityKind, ActivityObject, ActivityPage } from '@slipway/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'
import { reloadOnEvents } from './reload-on-events.ts'

/** Every filter is optional. */
export interface ActivityFilter {
  kind?: ActivityKind | undefined
  object_type?: ActivityObject | undefined
  object_id?: string | undefined
  actor?: 'user' | 'system' | undefined
}

/** Which log to read: that of a project, or the user's own. */
export type ActivitySource = { projectId: string; filter: ActivityFilter } | 'account'

/** Some entries come without an event, such as sign-ins, so the log is also loaded at this interval. */
const pollMs = 30_000
/** Events reload the log of a project at most this often. */
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

/** The newest entries of a log, kept up to date. With another filter the old ones stay until the new ones arrive. */
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

reloadOnEvents('activity.ofProject', notedMs)
