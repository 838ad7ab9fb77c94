import { isPoolUnderWay, missing, type VmPool } from '@slipway/contract'
import { useDeleteVmPool, useVmPool, useVmPoolHistory, useVmPools } from '../../api/vm-pools.ts'
import { paths } from '../../paths.ts'
import type { GroupKind } from '../vm-group/group-kind.ts'
import { PoolSizesForm } from './PoolSizesForm.tsx'

/** What a pool has beside its samples and events: the policy of its autoscaler, and what that thought last. */
export type PoolHistory = NonNullable<ReturnType<typeof useVmPoolHistory>['data']>

export const poolKind: GroupKind<VmPool, PoolHistory> = {
  api: 'vmPool',
  noun: 'VM pool',
  plural: 'VM pools',
  calls: { create: 'vmPool.create', update: 'vmPool.update', delete: 'vmPool.delete' },
  isUnderWay: isPoolUnderWay,
  paths: { list: paths.vmPools, create: paths.vmPoolCreate, one: paths.vmPool },
  useAll: (projectId) => {
    const { pools, ...list } = useVmPools(projectId)
    return { groups: pools, ...list }
  },
  useOne: useVmPool,
  useHistory: useVmPoolHistory,
  useRemoval: useDeleteVmPool,
  usageOf: ({ project_id, id }) => ({ project: project_id, pool: id }),
  EditForm: PoolSizesForm,
  deleteDialog: 'delete-pool',
  objectKind: 'vm_pool',
  texts: {
    subject: 'The pool',
    underWay: 'Scaling',
    title: 'VM Pool',
    loading: 'Loading VM Pool...',
    failed: 'Failed to load VM Pool data. Please try again.',
    notLoaded: 'VM Pool not loaded',
    notFound: missing.vmPoolNotFound,
    none: 'There is no such VM pool',
    back: 'Back to VM Pools',
    view: 'View VM Pools',
    numbers: 'VM pool in numbers',
    gone: 'The VM pool no longer exists.',
    delete: 'Delete VM Pool',
    sureToDelete: 'Are you sure you want to delete VM pool',
    deleted: 'VM Pool deleted successfully',
    notDeleted: 'Failed to delete VMPool. Please try again.',
  },
}
