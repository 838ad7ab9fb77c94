import type { EndpointId, Gone } from '@slipway/contract'
import { type QueryKey, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { asList, keyOf, queryClient } from './query.ts'

/** How often a list is asked for while something in it changes by itself. */
export const pollMs = 5_000

/** A list after some events: known objects change in place, new ones are appended, deleted ones go. */
export function applyEvents<T extends { id: string }>(
  items: readonly T[],
  events: readonly (T | Gone)[],
): T[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  for (const event of events) {
    if ('deleted' in event) byId.delete(event.id)
    else byId.set(event.id, event)
  }
  return [...byId.values()]
}

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

const none: never[] = []

/**
 * One resource of a project as a list that events keep up to date: how to read it, and how to bring in what a
 * mutation or an event says. `underWay` tells which objects change by themselves.
 */
export function liveList<T extends { id: string }>(
  id: EndpointId,
  load: (projectId: string, signal: AbortSignal) => Promise<readonly T[]>,
  underWay: (item: T) => boolean,
) {
  const keyFor = (projectId: string) => keyOf(id, { projectId })

  return {
    /**
     * Oldest first. A failed first load, or a failed refresh that the user asked for, is an error and an empty list;
     * a poll that fails keeps the last good list.
     */
    useList(projectId: string | undefined) {
      const queryKey = keyFor(projectId ?? '')
      const [asking, setAsking] = useState(false)
      /** Whether the last refresh that the user asked for failed; polls before and after it do not count. */
      const [refused, setRefused] = useState(false)
      const query = useQuery({
        queryKey,
        queryFn: async ({ signal }) => asList(await load(projectId ?? '', signal)),
        enabled: projectId !== undefined,
      })
      usePoll(queryKey, projectId !== undefined && (query.data ?? none).some(underWay))
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
        queryKey: keyFor(projectId),
        queryFn: async ({ signal }) => asList(await load(projectId, signal)),
        enabled: itemId !== null,
        select: (items) => items.find(({ id }) => id === itemId),
        staleTime: Number.POSITIVE_INFINITY,
      })
      return data
    },

    patch(projectId: string, events: readonly (T | Gone)[]): void {
      queryClient.setQueryData<T[]>(keyFor(projectId), (old) => old && applyEvents(old, events))
    },

    refresh: (projectId: string): Promise<void> =>
      queryClient.invalidateQueries({ queryKey: keyFor(projectId) }),
  }
}
