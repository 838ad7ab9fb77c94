import { isPoolUnderWay, type VmPool, type VmPoolCreate, type VmPoolUpdate } from '@slipway/contract'
import { useMutation } from '@tanstack/react-query'
import { type Creation, call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveGroups } from './vm-groups.ts'

const pools = liveGroups({
  ids: { list: 'vmPool.list', get: 'vmPool.get', history: 'vmPool.history' },
  kind: 'vm_pool',
  list: (projectId, signal): Promise<VmPool[]> => call('vmPool.list', { params: { projectId }, signal }),
  get: (projectId, poolId, signal) => call('vmPool.get', { params: { projectId, poolId }, signal }),
  history: (projectId, poolId, signal) => call('vmPool.history', { params: { projectId, poolId }, signal }),
  underWay: isPoolUnderWay,
})

/** The VM pools of a project, oldest first. */
export function useVmPools(projectId: string | undefined) {
  const { items, ...rest } = pools.useList(projectId)
  return { pools: items, ...rest }
}

/** One as the list has it, for many who only want its name. */
export const useListedVmPool = pools.useListed

/** One VM pool with its VMs. */
export const useVmPool = pools.useOne

/** Its samples and events, the autoscaler's policy and verdict. */
export const useVmPoolHistory = pools.useHistory

takeEvents('vm_pool', pools.patch)

export function useCreateVmPool() {
  return useMutation({
    mutationFn: ({ projectId, body, idempotencyKey }: Creation<VmPoolCreate> & { projectId: string }) =>
      call('vmPool.create', { params: { projectId }, body, idempotencyKey }),
    onSuccess: pools.show,
  })
}

const paramsOf = (pool: VmPool) => ({ projectId: pool.project_id, poolId: pool.id })

/** Changes the sizes of a pool or whether it scales; the answer already has the new numbers. */
export function useUpdateVmPool() {
  return useMutation({
    mutationFn: ({ pool, body }: { pool: VmPool; body: VmPoolUpdate }) =>
      call('vmPool.update', { params: paramsOf(pool), body }),
    onSuccess: pools.show,
    // A refusal means that the page shows an old state.
    onError: (_, { pool }) => void pools.refresh(pool.project_id),
  })
}

/** Deletes a pool with its VMs. */
export function useDeleteVmPool() {
  return useMutation({
    mutationFn: (pool: VmPool) => call('vmPool.delete', { params: paramsOf(pool) }),
    onSuccess: (_, pool) => pools.drop(pool),
    onError: (_, pool) => void pools.refresh(pool.project_id),
  })
}
