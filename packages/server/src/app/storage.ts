import type { Tx } from '../db/open.ts'
import { makeDiskReconcile } from '../disk/disk.reconcile.ts'
import { makeDiskRepo } from '../disk/disk.repo.ts'
import { makeDiskService } from '../disk/disk.service.ts'
import { diskSnapshotKind } from '../disk-snapshot/disk-snapshot.reconcile.ts'
import { makeDiskSnapshotRepo } from '../disk-snapshot/disk-snapshot.repo.ts'
import { makeDiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makeSnapshotReconcile } from '../snapshot/snapshot.reconcile.ts'
import { resumeSchedules } from '../snapshot-schedule/snapshot-schedule.writes.ts'
import { makeVmRepo } from '../vm/vm.repo.ts'
import { makeVmGroupRepo } from '../vm-group/vm-group.repo.ts'
import { addVmSnapshot } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'

/** Disks and their snapshots. */
export function makeStorage(
  base: Base,
  { maxDiskGb, binDays, quotas }: { maxDiskGb: number; binDays: number; quotas: QuotaService },
) {
  const { db, engine, cannot, clock, log, bus, clockGuard, jobs, board, calls, underLease } = base
  const diskRepo = makeDiskRepo(db)
  const vmRepo = makeVmRepo(db, { addVmSnapshot })
  const groupRepo = makeVmGroupRepo(db)
  /** Whether a disk or a VM is made of the snapshot now, a VM put back to it, or a group makes its members of it. */
  const isInUse = async (snapshotId: string, tx?: Tx) =>
    (await diskRepo.isSourceInUse(snapshotId, tx)) ||
    (await vmRepo.isFrom(snapshotId, tx)) ||
    (await groupRepo.isFrom(snapshotId, tx))

  const disks = makeDiskService({
    repo: diskRepo,
    cannot,
    kick: calls.kickDisk,
    changed: bus.changed,
    onChanged: (listener) => bus.onChanged('disk', listener),
    announceVm: calls.announceVm,
    jobs: board,
    clock,
    log,
    quotas,
    maxDiskGb,
    binDays,
    resumeSchedules,
  })
  const diskReconcile = makeDiskReconcile({
    repo: diskRepo,
    engine,
    announce: disks.announce,
    announceVm: calls.announceVm,
    wakeVm: calls.kickVm,
    // One of them knows it.
    suspectSnapshot: (id) => {
      calls.kickVmSnapshot(id)
      calls.kickDiskSnapshot(id)
    },
    jobs,
    kick: calls.kickDisk,
    clock,
    log,
  })
  const diskReconciler = makeReconciler({
    name: 'disk',
    look: diskReconcile.look,
    scan: diskReconcile.scan,
    onFailure: diskReconcile.showFailure,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })

  const snapshotRepo = makeDiskSnapshotRepo(db)
  const diskSnapshots = makeDiskSnapshotService({
    repo: snapshotRepo,
    cannot,
    disks,
    quotas,
    binDays,
    isInUse,
    kick: calls.kickDiskSnapshot,
    changed: bus.changed,
    jobs: board,
    clock,
  })
  const kind = diskSnapshotKind({
    repo: snapshotRepo,
    engine,
    isInUse,
    expire: diskSnapshots.expire,
    announce: diskSnapshots.announce,
    announceGone: diskSnapshots.announceGone,
  })
  const diskSnapshotReconciler = makeReconciler({
    name: 'disk-snapshot',
    ...makeSnapshotReconcile(kind, { engine, jobs, kick: calls.kickDiskSnapshot, clock, clockGuard, log }),
    within: underLease,
    ...rhythm,
    clock,
    log,
  })

  bus.reads('disk', disks.read)
  bus.reads('disk_snapshot', diskSnapshots.read)
  calls.connect({ kickDisk: diskReconciler.kick, kickDiskSnapshot: diskSnapshotReconciler.kick })
  return { disks, diskSnapshots, diskReconciler, diskSnapshotReconciler, isInUse }
}
