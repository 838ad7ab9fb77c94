import { makeAccountDeletionReconcile } from '../account-deletion/account-deletion.reconcile.ts'
import { makeAccountDeletionRepo } from '../account-deletion/account-deletion.repo.ts'
import {
  type AccountDeletionServiceOptions,
  makeAccountDeletionService,
} from '../account-deletion/account-deletion.service.ts'
import { makeGoesAlongRepo } from '../account-deletion/goes-along.repo.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmPoolService } from '../vm-pool/vm-pool.service.ts'
import type { VmSetService } from '../vm-set/vm-set.service.ts'
import { type Base, rhythm } from './base.ts'

/** Accounts that their owners delete, and what goes along with them. */
export function makeLeaving(
  base: Pick<Base, 'db' | 'clock' | 'log' | 'bus' | 'calls' | 'clockGuard' | 'underLease'>,
  options: Pick<
    AccountDeletionServiceOptions,
    'admins' | 'mails' | 'installation' | 'onEnded' | 'apiTokenIds'
  > & {
    projects: Pick<ProjectService, 'removeWithAccount'>
    vms: Pick<VmService, 'freeze' | 'delete'>
    pools: Pick<VmPoolService, 'delete'>
    sets: Pick<VmSetService, 'delete'>
  },
) {
  const { db, clock, log, bus, calls, clockGuard, underLease } = base
  const { projects, vms, pools, sets, ...ofService } = options
  const repo = makeAccountDeletionRepo(db)
  const deletions = makeAccountDeletionService({
    repo,
    goesAlong: makeGoesAlongRepo(db),
    ...ofService,
    announceProject: (projectId) => bus.changed('project', projectId, projectId),
    kick: calls.kickAccountDeletion,
    clock,
  })
  const reconcile = makeAccountDeletionReconcile({
    repo,
    deletes: {
      freezeVm: vms.freeze,
      // Nothing of it is to be left.
      vm: (accountId, projectId, vmId) => vms.delete(accountId, projectId, vmId, true),
      vmPool: (accountId, projectId, poolId) => pools.delete(accountId, projectId, poolId, true),
      vmSet: (accountId, projectId, setId) => sets.delete(accountId, projectId, setId, true),
      project: projects.removeWithAccount,
    },
    clockGuard,
    deleted: deletions.deleted,
    onDeleted: options.mails.kick,
    clock,
  })
  const accountDeletionReconciler = makeReconciler({
    name: 'account-deletion',
    look: reconcile.look,
    scan: reconcile.scan,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  calls.connect({ kickAccountDeletion: accountDeletionReconciler.kick })
  return { deletions, accountDeletionReconciler }
}
