import { isSetUnderWay, type VmSet, type VmSetCreate, type VmSetUpdate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveGroups } from './vm-groups.ts'

const sets = liveGroups({
  ids: { list: 'vmSet.list', get: 'vmSet.get', history: 'vmSet.history' },
  kind: 'vm_set',
  list: (projectId, signal): Promise<VmSet[]> => call('vmSet.list', { params: { projectId }, signal }),
  get: (projectId, setId, signal) => call('vmSet.get', { params: { projectId, setId }, signal }),
  history: (projectId, setId, signal) => call('vmSet.history', { params: { projectId, setId }, signal }),
  underWay: isSetUnderWay,
})

/** The VM sets of a project, oldest first. */
export function useVmSets(projectId: string | undefined) {
  const { items, ...rest } = sets.useList(projectId)
  return { sets: items, ...rest }
}

/** One as the list has it, for many who only want its name. */
export const useListedVmSet = sets.useListed

/** One VM set with its VMs. */
export const useVmSet = sets.useOne

/** Its samples and events. */
export const useVmSetHistory = sets.useHistory

takeEvents('vm_set', sets.patch)

export function useCreateVmSet() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<VmSetCreate> & { projectId: string }) =>
      call('vmSet.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: sets.show,
  })
}

const paramsOf = (set: VmSet) => ({ projectId: set.project_id, setId: set.id })

/** Changes how many VMs a set holds; the answer already has the new number. */
export function useUpdateVmSet() {
  return useMutation({
    mutationFn: ({ set, body }: { set: VmSet; body: VmSetUpdate }) =>
      call('vmSet.update', { params: paramsOf(set), body }),
    onSuccess: sets.show,
    // A refusal means that the page shows an old state.
    onError: (_, { set }) => void sets.refresh(set.project_id),
  })
}

/** Deletes a set with its VMs. */
export function useDeleteVmSet() {
  return useMutation({
    mutationFn: (set: VmSet) => call('vmSet.delete', { params: paramsOf(set) }),
    onSuccess: (_, set) => sets.drop(set),
    onError: (_, set) => void sets.refresh(set.project_id),
  })
}
