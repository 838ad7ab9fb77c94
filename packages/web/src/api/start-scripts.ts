import type { StartScript, Vm } from '@slipway/contract'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf } from './query.ts'

/** A guest tells nobody when its script has ended. */
const askAgainMs = 5_000

/** The start script of a VM and what came of it. While it may change, and the VM is not stopped, it is asked for again. */
export function useStartScript({ project_id, id, status }: Vm, isAllowed: boolean) {
  const params = { projectId: project_id, vmId: id }
  const isOff = ['stopped', 'suspended', 'failed', 'error'].includes(status)
  const mayChange = (found: StartScript | undefined) =>
    found !== undefined && ['waiting', 'running', 'unknown'].includes(found.state)
  return useQuery({
    // What a guest says is another thing once it has stopped or started.
    queryKey: [...keyOf('startScript.get', params), isOff],
    queryFn: ({ signal }) => call('startScript.get', { params, signal }),
    placeholderData: keepPreviousData,
    enabled: isAllowed,
    refetchInterval: ({ state }) => (!isOff && mayChange(state.data) ? askAgainMs : false),
  })
}
