import { isTransitional, type Vm } from '@slipway/contract'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { pollMs } from './live-list.ts'
import { vmListOptions } from './vms.ts'

/** How many lists are asked for at once when a page needs those of many projects. */
const listsAtOnce = 4

/** The VMs of one of many projects: not known while they load, nor when they could not be loaded. */
export interface VmsOfProject {
  vms: Vm[] | undefined
  failed: boolean
  retry: () => void
}

/** Projects with their VMs, whose lists are loaded a few at a time. */
export function useVmsOfProjects<P extends { id: string }>(
  projects: readonly P[],
): { project: P; list: VmsOfProject }[] {
  const [allowed, setAllowed] = useState(listsAtOnce)
  const results = useQueries({
    queries: projects.map(({ id }, index) => ({
      ...vmListOptions(id),
      staleTime: pollMs,
      enabled: index < allowed,
      // Beside the stream, as for the list of the selected project.
      refetchInterval: ({ state }: { state: { data?: Vm[] | undefined } }) =>
        state.data?.some(isTransitional) ? pollMs : false,
    })),
  })
  const done = results.filter((result) => !result.isPending).length
  useEffect(() => setAllowed(done + listsAtOnce), [done])
  return projects.map((project, index) => {
    const result = results[index]
    return {
      project,
      list: {
        vms: result?.data,
        failed: result?.data === undefined && result?.isError === true && !result.isFetching,
        retry: () => void result?.refetch(),
      },
    }
  })
}
