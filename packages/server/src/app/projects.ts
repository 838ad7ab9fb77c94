import { deleteBinOfProject } from '../bin/bin.writes.ts'
import { deleteDisksOfProject } from '../disk/disk.writes.ts'
import { deleteDiskSnapshotsOfProject } from '../disk-snapshot/disk-snapshot.writes.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import { makeProjectReconcile } from '../project/project.reconcile.ts'
import { makeProjectRepo } from '../project/project.repo.ts'
import { makeProjectService } from '../project/project.service.ts'
import { addOwner } from '../project-member/project-member.writes.ts'
import { deleteSharesOfProject } from '../share/share.writes.ts'
import { deleteVmSnapshotsOfProject } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'

/** Projects, and what the engine keeps for them. */
export function makeProjects(
  base: Pick<Base, 'db' | 'engine' | 'clock' | 'log' | 'bus' | 'calls' | 'underLease'>,
) {
  const { db, engine, clock, log, bus, calls, underLease } = base
  const repo = makeProjectRepo(db, addOwner, [
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
      calls.rescanStorage()
      calls.kickProject(projectId)
    },
    changed: bus.changed,
  })
  const projectReconciler = makeReconciler({
    name: 'project',
    ...makeProjectReconcile({ repo, engine }),
    within: underLease,
    ...rhythm,
    clock,
    log,
  })
  bus.reads('project', projects.read, projects.asSeenBy)
  calls.connect({ kickProject: projectReconciler.kick })
  return { projects, projectReconciler }
}
