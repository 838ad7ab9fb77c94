import type { EndpointId } from '@slipway/contract'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { revisionOf } from './client.ts'
import type { EventKind } from './live-events.ts'
import type { Said } from './order.ts'
import { asList, keyOf, order, queryClient } from './query.ts'

/** How often a list is loaded while an object in it is in a transitional status. */
export const pollMs = 5_000

/** Loads again every 5 s, only while `active`, so that a dead stream goes unnoticed. */
export function usePoll(queryKey: QueryKey, active: boolean): void {
  const key = JSON.stringify(queryKey)
  useEffect(() => {
    if (!active) return
    // Not TanStack Query's interval: every event of the stream would restart it.
    const timer = setInterval(() => {
      if (!document.hidden)
        void queryClient.refetchQueries({ queryKey: JSON.parse(key) as QueryKey }, { cancelRefetch: false })
    }, pollMs)
    return () => clearInterval(timer)
  }, [active, key])
}

/** The name of a response for `order`: its key in the cache. */
export const nameOf = (queryKey: QueryKey): string => JSON.stringify(queryKey)

/** A list response as it is shown: with newer events applied, and never older than what is shown already. */
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

/** Applies new states to a shown list. */
export function patchList<T extends { id: string }>(queryKey: QueryKey, news: readonly Said<T>[]): void {
  if (news.length > 0)
    queryClient.setQueryData<T[]>(queryKey, (old) => old && order.apply(nameOf(queryKey), old, news))
}

const none: never[] = []

/**
 * One resource of a project as a list that events keep up to date: how to load it, and how to apply mutations and
 * events. `kind` is the name of its events; `underWay` says which objects are in a transitional status.
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

  /** Stores states for every list and page, and returns those that are new. */
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

    /** One object from the list, cheap for many callers: the page that shows the list keeps it up to date. */
    useListed(projectId: string, itemId: string | null): T | undefined {
      const { data } = useQuery({
        ...queryFor(projectId),
        enabled: itemId !== null,
        select: (items) => items.find(({ id }) => id === itemId),
        staleTime: Number.POSITIVE_INFINITY,
      })
      return data
    },

    /** Applies states from events or responses, and returns those that are new. */
    patch(projectId: string, all: readonly Said<T>[]): Said<T>[] {
      const news = hear(all)
      patchList(keyFor(projectId), news)
      return news
    },

    /** Removes an object that was deleted here. */
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
