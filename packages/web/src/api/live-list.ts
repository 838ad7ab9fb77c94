import type { EndpointId } from '@slipway/contract'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { revisionOf } from './client.ts'
import type { EventKind } from './live-events.ts'
import type { Said } from './order.ts'
import { asList, keyOf, order, queryClient } from './query.ts'

/** How often a list is asked for while something in it changes by itself. */
export const pollMs = 5_000

/** Asks again every 5 s while `active`, and not otherwise: a dead stream is never noticed. */
export function usePoll(queryKey: QueryKey, active: boolean): void {
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    if (!active) return
    // Not Query's own interval: every event of the stream would start that one anew.
    const timer = setInterval(() => {
      if (!document.hidden)
        void queryClient.refetchQueries({ queryKey: JSON.parse(key) as QueryKey }, { cancelRefetch: false })
    }, pollMs)
    return () => clearInterval(timer)
  }, [active, key])
}

/** The name of an answer in the order of things: that of its place in the cache. */
export const nameOf = (queryKey: QueryKey): string => JSON.stringify(queryKey)

/** A list answer as it is shown: with what events said since, and never an older one than is shown already. */
export function inOrder<T extends { id: string }>(
  queryKey: QueryKey,
  kind: EventKind,
  answer: readonly T[],
  belongs: (item: T) => boolean,
  read: (item: T) => T = (item) => item,
): T[] {
  const items = asList(answer).map(read)
  const shown = order.list(nameOf(queryKey), kind, items, revisionOf(answer), belongs)
  return shown ?? queryClient.getQueryData<T[]>(queryKey) ?? items
}

/** Brings news into a list that is shown. */
export function patchList<T extends { id: string }>(queryKey: QueryKey, news: readonly Said<T>[]): void {
  if (news.length > 0)
    queryClient.setQueryData<T[]>(queryKey, (old) => old && order.apply(nameOf(queryKey), old, news))
}

const none: never[] = []

/**
 * One resource of a project as a list that events keep up to date: how to read it, and how to bring in what a
 * mutation or an event says. `kind` is the name of its events; `underWay` tells which objects change by themselves.
 */
export function liveList<T extends { id: string; project_id: string | null }>(
  id: EndpointId,
  kind: EventKind,
  load: (projectId: string, signal: AbortSignal) => Promise<readonly T[]>,
  underWay: (item: T) => boolean,
) {
  const keyFor = (projectId: string) => keyOf(id, { projectId })
  const queryFor = (projectId: string) => ({
    queryKey: keyFor(projectId),
    queryFn: async ({ signal }: { signal: AbortSignal }) =>
      inOrder(
        keyFor(projectId),
        kind,
        await load(projectId, signal),
        (item) => item.project_id === projectId,
      ),
  })

  /** What is news of all this, now known to everything that asks. */
  const hear = (all: readonly Said<T>[]) => order.hear(kind, all)

  return {
    /**
     * Oldest first. A failed first load, or a failed refresh that the user asked for, is an error and an empty list;
     * a poll that fails keeps the last good list.
     */
    useList(projectId: string | undefined) {
      const [asking, setAsking] = useState(false)
      /** Whether the last refresh that the user asked for failed; polls before and after it do not count. */
      const [refused, setRefused] = useState(false)
      const options = queryFor(projectId ?? '')
      const query = useQuery({ ...options, enabled: projectId !== undefined })
      usePoll(options.queryKey, projectId !== undefined && (query.data ?? none).some(underWay))
      const error = refused || query.data === undefined ? query.error : null
      return {
        items: error ? none : (query.data ?? none),
        loading: projectId !== undefined && query.isPending,
        error,
        refreshing: asking,
        refetch: async () => {
          setAsking(true)
          const { isError } = await query.refetch()
          setRefused(isError)
          setAsking(false)
        },
        /** When the shown list arrived, in milliseconds; 0 for never. */
        updatedAt: query.dataUpdatedAt,
      }
    },

    /** One of them as the list has it. To be asked for by many at once: whoever shows the list keeps it fresh. */
    useListed(projectId: string, itemId: string | null): T | undefined {
      const { data } = useQuery({
        ...queryFor(projectId),
        enabled: itemId !== null,
        select: (items) => items.find(({ id }) => id === itemId),
        staleTime: Number.POSITIVE_INFINITY,
      })
      return data
    },

    /** Brings in what events or answers say, and returns what of it is news. */
    patch(projectId: string, all: readonly Said<T>[]): Said<T>[] {
      const news = hear(all)
      patchList(keyFor(projectId), news)
      return news
    },

    /** Takes away what was deleted here. */
    drop(projectId: string, itemId: string): void {
      patchList(
        keyFor(projectId),
        hear([{ object: { id: itemId, project_id: projectId, deleted: true }, at: null }]),
      )
    },

    refresh: (projectId: string): Promise<void> =>
      queryClient.invalidateQueries({ queryKey: keyFor(projectId) }),
  }
}
