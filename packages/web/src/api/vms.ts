import { isTransitional, type ProjectEvents, type Vm, type VmCreate, vmStatuses } from '@slipway/contract'
import { queryOptions, useMutation, useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Creation, call } from './client.ts'
import { applyEvents, pollMs, usePoll } from './live-list.ts'
import { asList, keyOf, queryClient } from './query.ts'

/** How many lists are asked for at once when a page needs those of many projects. */
const listsAtOnce = 4

/**
 * Reads what other servers send as well: the words of the status in any letter case, an unknown one as it is, and
 * the key's name nested (catalogue G-106).
 */
export function readVm(vm: Vm & { ssh_key?: { name?: string } | null }): Vm {
  const status = vmStatuses.find((word) => word === vm.status.toLowerCase()) ?? vm.status
  if (status === vm.status && vm.ssh_key_name !== undefined) return vm
  return { ...vm, status, ssh_key_name: vm.ssh_key_name ?? vm.ssh_key?.name ?? '' }
}

const listOptions = (projectId: string) =>
  queryOptions({
    queryKey: keyOf('vm.list', { projectId }),
    queryFn: async ({ signal }) =>
      asList(await call('vm.list', { params: { projectId }, signal })).map(readVm),
  })

const none: Vm[] = []

/**
 * The VMs of a project, oldest first. A failed first load is an empty list and a later failure keeps the last
 * good one, both without a word (catalogue G-049).
 */
export function useVms(projectId: string | undefined) {
  const query = useQuery({ ...listOptions(projectId ?? ''), enabled: projectId !== undefined })
  return {
    vms: query.data ?? none,
    loading: projectId !== undefined && query.isPending,
    /** Why there is no list at all; only forms that need one tell. */
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
    /** When the shown list arrived, in milliseconds; 0 for never. */
    updatedAt: query.dataUpdatedAt,
    polling: (query.data ?? none).some(isTransitional),
  }
}

/** Those of a project that are known at this moment. */
export const vmsNow = (projectId: string): Vm[] =>
  queryClient.getQueryData(listOptions(projectId).queryKey) ?? none

/** Asks for the list every 5 s while one of its VMs is in a transitional status, and not otherwise. */
export function useVmPoll(projectId: string | undefined): void {
  const { polling } = useVms(projectId)
  usePoll(listOptions(projectId ?? '').queryKey, polling && projectId !== undefined)
}

/** The VM lists of many projects, a few at a time; an entry is undefined until its list is there. */
export function useVmsOfProjects(projectIds: readonly string[]): (Vm[] | undefined)[] {
  const [allowed, setAllowed] = useState(listsAtOnce)
  const results = useQueries({
    queries: projectIds.map((projectId, index) => ({
      ...listOptions(projectId),
      staleTime: pollMs,
      enabled: index < allowed,
      // No stream tells of the projects that are not selected.
      refetchInterval: ({ state }: { state: { data?: Vm[] | undefined } }) =>
        state.data?.some(isTransitional) ? pollMs : false,
    })),
  })
  const done = results.filter((result) => !result.isPending).length
  useEffect(() => setAllowed(done + listsAtOnce), [done])
  return results.map((result) => result.data ?? (result.isError ? [] : undefined))
}

/** One VM with the steps of its last way up. */
export function useVm(projectId: string, vmId: string) {
  return useQuery({
    queryKey: keyOf('vm.get', { projectId, vmId }),
    queryFn: async ({ signal }) => readVm(await call('vm.get', { params: { projectId, vmId }, signal })),
    refetchInterval: ({ state }) => (state.data && isTransitional(state.data) ? pollMs : false),
  })
}

export type VmEvent = ProjectEvents['vm']

export const applyVmEvents = (vms: readonly Vm[], events: readonly VmEvent[]): Vm[] =>
  applyEvents(
    vms,
    events.map((event) => ('deleted' in event ? event : readVm(event))),
  )

/** Brings what happened to VMs into everything the console shows of them. */
export function patchVms(projectId: string, events: readonly VmEvent[]): void {
  queryClient.setQueryData(listOptions(projectId).queryKey, (old) => old && applyVmEvents(old, events))
  for (const event of events) {
    const queryKey = keyOf('vm.get', { projectId, vmId: event.id })
    if ('deleted' in event) void queryClient.invalidateQueries({ queryKey })
    else queryClient.setQueryData<Vm>(queryKey, (old) => old && readVm(event))
  }
  patchMembers(projectId, events)
}

/** Pools and sets that are shown with their VMs. */
function patchMembers(projectId: string, events: readonly VmEvent[]): void {
  for (const id of ['vmPool.get', 'vmSet.get'] as const) {
    queryClient.setQueriesData<{ id: string; vms: Vm[] }>({ queryKey: keyOf(id, { projectId }) }, (old) => {
      if (!old) return old
      const own = events.filter((event) =>
        'deleted' in event
          ? old.vms.some((vm) => vm.id === event.id)
          : event.vmpool_id === old.id || event.vmset_id === old.id,
      )
      return own.length === 0 ? old : { ...old, vms: applyVmEvents(old.vms, own) }
    })
  }
}

function refreshList(projectId: string) {
  return queryClient.invalidateQueries({ queryKey: keyOf('vm.list', { projectId }) })
}

/** Asks again for everything shown of a VM. */
export function refreshVm(projectId: string, vmId: string): void {
  void refreshList(projectId)
  void queryClient.invalidateQueries({ queryKey: keyOf('vm.get', { projectId, vmId }) })
}

/** Creates a VM and shows it in the lists at once. */
export function useCreateVm() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<VmCreate> & { projectId: string }) =>
      call('vm.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: (vm, { projectId }) => {
      patchVms(projectId, [vm])
      void refreshList(projectId)
      // Those it was created with are taken now.
      if (vm.disks.length > 0)
        void queryClient.invalidateQueries({ queryKey: keyOf('disk.list', { projectId }) })
    },
  })
}

export type VmAction = 'start' | 'stop' | 'forceStop' | 'restart'

function run(action: VmAction, params: { projectId: string; vmId: string }): Promise<Vm> {
  switch (action) {
    case 'start':
      return call('vm.start', { params })
    case 'stop':
      return call('vm.stop', { params, body: {} })
    case 'forceStop':
      return call('vm.stop', { params, body: { force: true } })
    case 'restart':
      return call('vm.restart', { params })
  }
}

/** Starts, stops or restarts a VM; the answer already carries the new status. */
export function useVmAction() {
  return useMutation({
    mutationFn: ({ vm, action }: { vm: Vm; action: VmAction }) =>
      run(action, { projectId: vm.project_id, vmId: vm.id }),
    onSuccess: (vm) => patchVms(vm.project_id, [vm]),
    // A refusal means that we show an old state.
    onError: (_, { vm }) => refreshVm(vm.project_id, vm.id),
  })
}

/** Deletes a VM; it is gone from all lists then. */
export function useDeleteVm() {
  return useMutation({
    mutationFn: (vm: Vm) => call('vm.delete', { params: { projectId: vm.project_id, vmId: vm.id } }),
    onSuccess: (_, vm) => {
      queryClient.setQueryData(listOptions(vm.project_id).queryKey, (old) =>
        old?.filter(({ id }) => id !== vm.id),
      )
      patchMembers(vm.project_id, [{ id: vm.id, deleted: true }])
      void refreshList(vm.project_id)
    },
  })
}
