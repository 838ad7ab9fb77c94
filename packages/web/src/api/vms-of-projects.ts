import { isTransitional, type Vm } from '@slipway/contract'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pollMs } from './live-list.ts'
import { vmListOptions } from './vms.ts'

/** How many lists are asked for at once when a page needs those of many projects. */
const listsAtOnce = 4

/** The VM lists of many projects, a few at a time; an entry is undefined until its list is there. */
export function useVmsOfProjects(projectIds: readonly string[]): (Vm[] | undefined)[] {
  const [allowed, setAllowed] = useState(listsAtOnce)
  const results = useQueries({
    queries: projectIds.map((projectId, index) => ({
      ...vmListOptions(projectId),
      staleTime: pollMs,
      enabled: index < allowed,
      // Beside the stream, as for the list of the selected project.
      refetchInterval: ({ state }: { state: { data?: Vm[] | undefined } }) =>
        state.data?.some(isTransitional) ? pollMs : false,
    })),
  })
  const done = results.filter((result) => !result.isPending).length
  useEffect(() => setAllowed(done + listsAtOnce), [done])
  return results.map((result) => result.data ?? (result.isError ? [] : undefined))
}
