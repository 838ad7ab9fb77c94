import { makeBinRepo } from '../bin/bin.repo.ts'
import { type BinServiceOptions, makeBinService } from '../bin/bin.service.ts'
import { makeBinLimitReconcile } from '../bin/bin-limit.reconcile.ts'
import { makeBinLimitRepo } from '../bin/bin-limit.repo.ts'
import { dropDisks } from '../disk/disk.writes.ts'
import { dropDiskSnapshots } from '../disk-snapshot/disk-snapshot.writes.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { makeProjectBinRepo } from '../project-bin/project-bin.repo.ts'
import { makeProjectBinService, type ProjectBinServiceOptions } from '../project-bin/project-bin.service.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makeTemplateBinRepo } from '../template/template-bin.repo.ts'
import { makeTemplateBinService } from '../template/template-bin.service.ts'
import { dropVms } from '../vm/vm.writes.ts'
import { dropVmSnapshots } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'

/** What was deleted and can be restored. */
export function makeBins(
  { db, clock, log, bus, calls, drives, underLease }: Base,
  comeBack: BinServiceOptions['comeBack'],
  {
    quotas,
    projects,
  }: Pick<ProjectBinServiceOptions, 'projects'> & {
    quotas: Pick<QuotaService, 'requireForProject' | 'binLimitsOf'>
  },
) {
  const repo = makeBinRepo(db, {
    vm: dropVms,
    disk: dropDisks,
    vm_snapshot: dropVmSnapshots,
    disk_snapshot: dropDiskSnapshots,
  })
  const limits = makeBinLimitRepo(db, quotas.binLimitsOf)
  const bin = makeBinService({
    repo,
    limits,
    comeBack,
    kicks: {
      vm: calls.kickVm,
      disk: calls.kickDisk,
      vm_snapshot: calls.kickVmSnapshot,
      disk_snapshot: calls.kickDiskSnapshot,
    },
    changed: bus.changed,
    clock,
  })
  bus.reads('bin_item', bin.read)
  const projectBin = makeProjectBinService({
    projects,
    quotas,
    repo: makeProjectBinRepo(db),
    kick: calls.kickProject,
    changed: bus.changed,
    clock,
  })
  const templateBin = makeTemplateBinService({ repo: makeTemplateBinRepo(db), clock })
  const limit = makeBinLimitReconcile({
    repo: limits,
    drops: { item: bin.dropOver, project: projectBin.dropOver },
    now: clock.now,
  })
  const binLimitReconciler = makeReconciler({
    name: 'bin-limit',
    look: limit.look,
    scan: limit.scan,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  calls.connect({ kickBin: binLimitReconciler.kick })
  bus.onChanged('bin_item', (_, projectId) => {
    if (drives()) binLimitReconciler.kick(projectId)
  })
  return { bin, projectBin, templateBin, binLimitReconciler, pushedOut: limit.pushedOut }
}
