import { deleteBinOfProject } from '../bin/bin.writes.ts'
import { deleteDisksOfProject } from '../disk/disk.writes.ts'
import { deleteDiskSnapshotsOfProject } from '../disk-snapshot/disk-snapshot.writes.ts'
import { inBackground } from '../lib/in-background.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { makeProjectReconcile, type VmsOfProjects } from '../project/project.reconcile.ts'
import { makeProjectRepo } from '../project/project.repo.ts'
import { makeProjectService } from '../project/project.service.ts'
import { addOwner, putMembersAside } from '../project-member/project-member.writes.ts'
import { deleteSharesOfProject } from '../share/share.writes.ts'
import { deleteVmsOfProject } from '../vm/vm.writes.ts'
import { deleteVmSnapshotsOfProject } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'

/** Projects, and what the engine keeps for them. */
export function makeProjects(
  base: Pick<Base, 'db' | 'engine' | 'clock' | 'log' | 'bus' | 'calls' | 'underLease'>,
  {
    binDays,
    vms,
    groupIdsOf,
  }: {
    /** For how many days what people delete is kept; 0: it is not. */
    binDays: number
    /** Built later. */
    vms: () => VmsOfProjects
    groupIdsOf: (projectId: string) => Promise<string[]>
  },
) {
  const { db, engine, clock, log, bus, calls, underLease } = base
  const repo = makeProjectRepo(db, { addOwner, putMembersAside }, [
    deleteVmsOfProject,
    deleteDisksOfProject,
    deleteVmSnapshotsOfProject,
    deleteDiskSnapshotsOfProject,
    deleteSharesOfProject,
    deleteBinOfProject,
  ])
  const projects = makeProjectService({
    repo,
    clock,
    onDeleted(projectId) {
      calls.rescanBelongings()
      calls.kickProject(projectId)
    },
    onBinned(projectId) {
      calls.kickProject(projectId)
      calls.kickBin(projectId)
    },
    binDays,
    changed: bus.changed,
  })
  const wakeGroups = (projectId: string): void =>
    inBackground(
      log,
      'waking the groups of a project',
      groupIdsOf(projectId).then((ids) => {
        for (const id of ids) calls.kickGroup(id)
      }),
    )
  const { look, scan } = makeProjectReconcile({ repo, engine, vms, onGoesOn: wakeGroups })
  const projectReconciler = makeReconciler({
    name: 'project',
    look,
    scan,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  bus.reads('project', projects.read, projects.asSeenBy)
  calls.connect({ kickProject: projectReconciler.kick })
  return { projects, projectReconciler }
}
