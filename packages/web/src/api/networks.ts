import { useMutation, useQuery } from '@tanstack/react-query'
import { call } from './client.ts'
import { keyOf, queryClient } from './query.ts'
import { reloadOnEvents } from './reload-on-events.ts'

/** Events load a network again at most this often: it changes with VMs, pools and sets. */
const notedMs = 2_000

const networkKey = (projectId: string) => keyOf('network.get', { projectId })

/** The private network of a project, kept up to date. A later failure keeps the last good answer. */
export function useNetwork(projectId: string) {
  const query = useQuery({
    queryKey: networkKey(projectId),
    queryFn: ({ signal }) => call('network.get', { params: { projectId }, signal }),
  })
  return {
    network: query.data,
    loading: query.isPending || (query.isFetching && query.data === undefined),
    error: query.data ? null : query.error,
    refetch: () => query.refetch(),
  }
}

reloadOnEvents('network.get', notedMs)

/** Switches the Internet access of all VMs of a project on or off. */
export function useUpdateNetwork(projectId: string) {
  return useMutation({
    mutationFn: (internet: boolean) => call('network.update', { params: { projectId }, body: { internet } }),
    onSuccess: async (network) => {
      // What was asked before may still say the old.
      await queryClient.cancelQueries({ queryKey: networkKey(projectId) })
      queryClient.setQueryData(networkKey(projectId), network)
    },
  })
}

/** The network as one VM sees it, kept up to date. */
export function useVmNetwork({ project_id, id }: { project_id: string; id: string }) {
  const params = { projectId: project_id, vmId: id }
  const query = useQuery({
    queryKey: keyOf('network.ofVm', params),
    queryFn: ({ signal }) => call('network.ofVm', { params, signal }),
  })
  return { network: query.data, error: query.data ? null : query.error, retry: () => void query.refetch() }
}

reloadOnEvents('network.ofVm', notedMs)
