import { makeBinRepo } from '../bin/bin.repo.ts'
import { type BinServiceOptions, makeBinService } from '../bin/bin.service.ts'
import { dropDisks } from '../disk/disk.writes.ts'
import { dropDiskSnapshots } from '../disk-snapshot/disk-snapshot.writes.ts'
import { makeProjectBinRepo } from '../project-bin/project-bin.repo.ts'
import { makeProjectBinService, type ProjectBinServiceOptions } from '../project-bin/project-bin.service.ts'
import { makeTemplateBinRepo } from '../template/template-bin.repo.ts'
import { makeTemplateBinService } from '../template/template-bin.service.ts'
import { dropVms } from '../vm/vm.writes.ts'
import { dropVmSnapshots } from '../vm-snapshot/vm-snapshot.writes.ts'
import type { Base } from './base.ts'

/** What was deleted and can be restored. */
export function makeBins(
  { db, clock, bus, calls }: Base,
  comeBack: BinServiceOptions['comeBack'],
  ofProjects: Pick<ProjectBinServiceOptions, 'projects' | 'quotas'>,
) {
  const repo = makeBinRepo(db, {
    vm: dropVms,
    disk: dropDisks,
    vm_snapshot: dropVmSnapshots,
    disk_snapshot: dropDiskSnapshots,
  })
  const bin = makeBinService({
    repo,
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
    ...ofProjects,
    repo: makeProjectBinRepo(db),
    kick: calls.kickProject,
    changed: bus.changed,
    clock,
  })
  const templateBin = makeTemplateBinService({ repo: makeTemplateBinRepo(db), clock })
  return { bin, projectBin, templateBin }
}
