import { isPoolUnderWay, type VmPool, type VmPoolCreate, type VmPoolUpdate } from '@slipway/contract'
import { type Creation, call } from './client.ts'
import { takeEvents } from './live-events.ts'
import { liveGroups } from './vm-groups.ts'

const paramsOf = (pool: VmPool) => ({ projectId: pool.project_id, poolId: pool.id })

const pools = liveGroups({
  ids: { list: 'vmPool.list', get: 'vmPool.get', history: 'vmPool.history' },
  kind: 'vm_pool',
  list: (projectId, signal): Promise<VmPool[]> => call('vmPool.list', { params: { projectId }, signal }),
  get: (projectId, poolId, signal) => call('vmPool.get', { params: { projectId, poolId }, signal }),
  history: (projectId, poolId, signal) => call('vmPool.history', { params: { projectId, poolId }, signal }),
  create: ({ projectId, body, idempotencyKey }: Creation<VmPoolCreate> & { projectId: string }) =>
    call('vmPool.create', { params: { projectId }, body, idempotencyKey }),
  update: (pool, body: VmPoolUpdate) => call('vmPool.update', { params: paramsOf(pool), body }),
  remove: (pool, forGood) =>
    call('vmPool.delete', { params: paramsOf(pool), ...(forGood && { query: { for_good: 'true' } }) }),
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

export const useCreateVmPool = pools.useCreate

/** Changes the sizes of a pool or whether it scales. */
export const useUpdateVmPool = pools.useUpdate

export const useDeleteVmPool = pools.useDelete
