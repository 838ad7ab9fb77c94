import type { ScalingPolicy } from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import type { SshKeyService } from '../ssh-key/ssh-key.service.ts'
import type { StartScriptService } from '../start-script/start-script.service.ts'
import type { TemplateService } from '../template/template.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import { makeLoadBook } from '../vm-group/load.ts'
import { makeScaling } from '../vm-group/scaling.reconcile.ts'
import { makeVmGroupReconcile } from '../vm-group/vm-group.reconcile.ts'
import { makeVmGroupRepo, toGroup } from '../vm-group/vm-group.repo.ts'
import { takenByGrowing } from '../vm-group/vm-group.state.ts'
import { makeVmGroupBinRepo } from '../vm-group/vm-group-bin.repo.ts'
import { makeVmGroupBin } from '../vm-group/vm-group-bin.service.ts'
import { makeVmPoolService } from '../vm-pool/vm-pool.service.ts'
import { makeVmSetService } from '../vm-set/vm-set.service.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import { type Base, rhythm } from './base.ts'

/** Members that a group has ready to start when others are up. */
const waitingMembers = 2

/** VM pools and VM sets, and the autoscaler of pools. */
export function makeGroups(
  base: Base,
  options: {
    policy: ScalingPolicy
    /** For how many days what people delete is kept; 0: it is not. */
    binDays: number
    /** How many guests may be on their way up at once. */
    startsAtOnce: number
    keys: SshKeyService
    templates: TemplateService
    disks: DiskService
    vms: VmService
    startScripts: StartScriptService
    vmSnapshots: VmSnapshotService
    quotas: QuotaService
  },
) {
  const { db, engine, clock, log, bus, calls, drives, underLease } = base
  const { policy, vms, quotas } = options
  const repo = makeVmGroupRepo(db)
  const binRepo = makeVmGroupBinRepo(db, toGroup)
  const load = makeLoadBook()
  const parts = {
    repo,
    keys: options.keys,
    templates: options.templates,
    vms,
    startScripts: options.startScripts,
    snapshots: options.vmSnapshots,
    quotas,
    disks: options.disks,
    load,
    clock,
    changed: bus.changed,
    kick: calls.kickGroup,
    binRepo,
    kickProject: calls.kickProject,
    binChanged: (projectId: string, id: string) => bus.changed('bin_item', projectId, id),
    binDays: options.binDays,
  }
  const comeBack = makeVmGroupBin({
    repo: binRepo,
    vms,
    quotas,
    changed: bus.changed,
    kick: calls.kickGroup,
    kickProject: calls.kickProject,
    clock,
  })
  const pools = makeVmPoolService({ ...parts, policy })
  const sets = makeVmSetService(parts)
  const announce = (group: Parameters<typeof pools.announce>[0]) =>
    group.kind === 'pool' ? pools.announce(group) : sets.announce(group)

  const groupReconciler = makeReconciler({
    name: 'vm-group',
    ...makeVmGroupReconcile({
      repo,
      vms,
      announce,
      clock,
      log,
      membersAtOnce: options.startsAtOnce + waitingMembers,
    }),
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  const scaling = makeScaling({
    repo,
    engine,
    load,
    policy,
    requireRoom: (tx, group, desired, members) =>
      quotas.require(tx, group.projectId, takenByGrowing(group, desired, members)),
    announce,
    kick: calls.kickGroup,
    drives,
    underLease,
    clock,
    log,
  })
  bus.onChanged('vm_pool', scaling.wake)
  bus.onChanged('vm_set', scaling.wake)

  bus.reads('vm_pool', pools.read)
  bus.reads('vm_set', sets.read)
  calls.connect({ kickGroup: groupReconciler.kick })
  return {
    pools,
    sets,
    comeBack,
    groupReconciler,
    scaling,
    idsOf: async (projectId: string) =>
      [...(await repo.list(projectId, 'pool')), ...(await repo.list(projectId, 'set'))].map(({ id }) => id),
  }
}
