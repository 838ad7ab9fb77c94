import { isTransitional, type Vm, vmStatuses } from '@slipway/contract'
import { type QueryKey, queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { call, revisionOf, said } from './client.ts'
import { takeEvents } from './live-events.ts'
import { inOrder, nameOf, patchList, pollMs, usePoll } from './live-list.ts'
import type { Said } from './order.ts'
import { keyOf, order, queryClient } from './query.ts'

/**
 * Reads what other servers send as well: the words of the status in any letter case, an unknown one as it is, and
 * the key's name nested (catalogue G-106).
 */
export function readVm(vm: Vm & { ssh_key?: { name?: string } | null }): Vm {
  const status = vmStatuses.find((word) => word === vm.status.toLowerCase()) ?? vm.status
  if (status === vm.status && vm.ssh_key_name !== undefined) return vm
  return { ...vm, status, ssh_key_name: vm.ssh_key_name ?? vm.ssh_key?.name ?? '' }
}

/** How the VMs of a project are asked for. */
export const vmListOptions = (projectId: string) =>
  queryOptions({
    queryKey: keyOf('vm.list', { projectId }),
    queryFn: async ({ signal }) => {
      const answer = await call('vm.list', { params: { projectId }, signal })
      return inOrder(
        keyOf('vm.list', { projectId }),
        'vm',
        answer,
        (vm) => vm.project_id === projectId,
        readVm,
      )
    },
  })

const none: Vm[] = []

/**
 * The VMs of a project, oldest first. A failed first load is an empty list and a later failure keeps the last
 * good one, both without a word (catalogue G-049).
 */
export function useVms(projectId: string | undefined) {
  const query = useQuery({ ...vmListOptions(projectId ?? ''), enabled: projectId !== undefined })
  return {
    vms: query.data ?? none,
    loading: projectId !== undefined && query.isPending,
    /** Why there is no list at all; shown only by forms that need one. */
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
    /** When the shown list arrived, in milliseconds; 0 for never. */
    updatedAt: query.dataUpdatedAt,
    polling: (query.data ?? none).some(isTransitional),
  }
}

/** The VMs of a project that are known right now. */
export const vmsNow = (projectId: string): Vm[] =>
  queryClient.getQueryData(vmListOptions(projectId).queryKey) ?? none

/** Loads the list every 5 s, only while one of its VMs is in a transitional status. */
export function useVmPoll(projectId: string | undefined): void {
  const { data } = useQuery({
    ...vmListOptions(projectId ?? ''),
    enabled: projectId !== undefined,
    // Those who show the list load it, also after a failure; this comes later than they do.
    retryOnMount: false,
    refetchOnMount: false,
  })
  const polling = (data ?? none).some(isTransitional)
  usePoll(vmListOptions(projectId ?? '').queryKey, polling && projectId !== undefined)
}

/** One VM with the steps of its last start. */
export function useVm(projectId: string, vmId: string) {
  const queryKey = keyOf('vm.get', { projectId, vmId })
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const answer = await call('vm.get', { params: { projectId, vmId }, signal })
      const vm = readVm(answer)
      const shown = order.one(nameOf(queryKey), 'vm', vm, revisionOf(answer))
      return shown ?? queryClient.getQueryData<Vm>(queryKey) ?? vm
    },
    refetchInterval: ({ state }) => (state.data && isTransitional(state.data) ? pollMs : false),
  })
}

/** Applies new states of VMs everywhere the console shows them. */
export function patchVms(projectId: string, all: readonly Said<Vm>[]): void {
  const news = order.hear(
    'vm',
    all.map(({ object, at }) => ({ object: 'deleted' in object ? object : readVm(object), at })),
  )
  patchList(vmListOptions(projectId).queryKey, news)
  for (const { object, at } of news) {
    const queryKey = keyOf('vm.get', { projectId, vmId: object.id })
    if ('deleted' in object) void queryClient.invalidateQueries({ queryKey })
    else if (order.isNews(nameOf(queryKey), at))
      queryClient.setQueryData<Vm>(queryKey, (old) => old && object)
  }
  patchMembers(projectId, news)
}

takeEvents('vm', patchVms)

/** Under which name the members of a group are put into order: the group itself has its own. */
export const membersOf = (queryKey: QueryKey): string => `${nameOf(queryKey)} members`

/** Whether a VM is a member of a pool or set. */
export const isMemberOf =
  (groupId: string) =>
  (vm: Vm): boolean =>
    vm.vmpool_id === groupId || vm.vmset_id === groupId

/** Pools and sets that are shown with their VMs. */
function patchMembers(projectId: string, news: readonly Said<Vm>[]): void {
  for (const id of ['vmPool.get', 'vmSet.get'] as const) {
    const shown = queryClient.getQueriesData<{ id: string; vms: Vm[] }>({
      queryKey: keyOf(id, { projectId }),
    })
    for (const [queryKey, group] of shown) {
      if (!group) continue
      const own = news.filter(({ object }) =>
        'deleted' in object ? group.vms.some((vm) => vm.id === object.id) : isMemberOf(group.id)(object),
      )
      if (own.length > 0)
        queryClient.setQueryData(queryKey, {
          ...group,
          vms: order.apply(membersOf(queryKey), group.vms, own),
        })
    }
  }
}

/** Reloads the list of VMs of a project. */
export function refreshVms(projectId: string) {
  return queryClient.invalidateQueries({ queryKey: keyOf('vm.list', { projectId }) })
}

/** Reloads everything shown of a VM. */
export function refreshVm(projectId: string, vmId: string): void {
  void refreshVms(projectId)
  void queryClient.invalidateQueries({ queryKey: keyOf('vm.get', { projectId, vmId }) })
}

export type VmAction = 'start' | 'stop' | 'forceStop' | 'suspend' | 'restart'

function run(action: VmAction, params: { projectId: string; vmId: string }): Promise<Vm> {
  switch (action) {
    case 'start':
      return call('vm.start', { params })
    case 'stop':
      return call('vm.stop', { params, body: {} })
    case 'forceStop':
      return call('vm.stop', { params, body: { force: true } })
    case 'suspend':
      return call('vm.suspend', { params })
    case 'restart':
      return call('vm.restart', { params })
  }
}

/** Starts, stops, suspends or restarts a VM; the answer already carries the new status. */
export function useVmAction() {
  return useMutation({
    mutationFn: ({ vm, action }: { vm: Vm; action: VmAction }) =>
      run(action, { projectId: vm.project_id, vmId: vm.id }),
    onSuccess: (vm) => patchVms(vm.project_id, [said(vm)]),
    // A refusal means that the page shows an old state.
    onError: (_, { vm }) => refreshVm(vm.project_id, vm.id),
  })
}
