import { isSetUnderWay, type VmSet, type VmSetCreate, type VmSetUpdate } from '@slipway/contract'
import { type Creation, call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveGroups } from './vm-groups.ts'

const paramsOf = (set: VmSet) => ({ projectId: set.project_id, setId: set.id })

const sets = liveGroups({
  ids: { list: 'vmSet.list', get: 'vmSet.get', history: 'vmSet.history' },
  kind: 'vm_set',
  list: (projectId, signal): Promise<VmSet[]> => call('vmSet.list', { params: { projectId }, signal }),
  get: (projectId, setId, signal) => call('vmSet.get', { params: { projectId, setId }, signal }),
  history: (projectId, setId, signal) => call('vmSet.history', { params: { projectId, setId }, signal }),
  create: ({ projectId, body, idempotencyKey }: Creation<VmSetCreate> & { projectId: string }) =>
    call('vmSet.create', { params: { projectId }, body, idempotencyKey }),
  update: (set, body: VmSetUpdate) => call('vmSet.update', { params: paramsOf(set), body }),
  remove: (set, forGood) =>
    call('vmSet.delete', { params: paramsOf(set), ...(forGood && { query: { for_good: 'true' } }) }),
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

export const useCreateVmSet = sets.useCreate

/** Changes how many VMs a set holds. */
export const useUpdateVmSet = sets.useUpdate

export const useDeleteVmSet = sets.useDelete
