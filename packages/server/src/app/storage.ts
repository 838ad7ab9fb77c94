import type { Tx } from '../db/open.ts'
import { makeDiskReconcile } from '../disk/disk.reconcile.ts'
import { makeDiskRepo } from '../disk/disk.repo.ts'
import { makeDiskService } from '../disk/disk.service.ts'
import { makeDiskFileRepo } from '../disk-file/disk-file.repo.ts'
import { makeDiskFileService } from '../disk-file/disk-file.service.ts'
import { diskSnapshotKind } from '../disk-snapshot/disk-snapshot.reconcile.ts'
import { makeDiskSnapshotRepo } from '../disk-snapshot/disk-snapshot.repo.ts'
import { makeDiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import { makeReconciler } from '../lib/reconciler.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { makeSnapshotReconcile } from '../snapshot/snapshot.reconcile.ts'
import { resumeSchedules } from '../snapshot-schedule/snapshot-schedule.writes.ts'
import { makeUploadFiles } from '../upload/upload.files.ts'
import { makeUploadRepo } from '../upload/upload.repo.ts'
import { makeUploadService } from '../upload/upload.service.ts'
import { makeVmRepo } from '../vm/vm.repo.ts'
import { makeVmGroupRepo } from '../vm-group/vm-group.repo.ts'
import { addVmSnapshot } from '../vm-snapshot/vm-snapshot.writes.ts'
import { type Base, rhythm } from './base.ts'
import type { AppOptions } from './options.ts'
import type { Queues } from './queues.ts'

/** Disks and their snapshots. */
export function makeStorage(
  base: Base,
  {
    config: { dataDir, maxDiskGb, maxImageGb, uploadHours, binDays },
    quotas,
    queues,
  }: {
    config: Pick<AppOptions['config'], 'dataDir' | 'maxDiskGb' | 'maxImageGb' | 'uploadHours' | 'binDays'>
    quotas: QuotaService
    queues: Pick<Queues, 'uploads' | 'downloads'>
  },
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
  const uploadFiles = makeUploadFiles(dataDir)
  const uploads = makeUploadService({
    repo: makeUploadRepo(db),
    files: uploadFiles,
    places: queues.uploads,
    disks,
    cannot,
    clock,
    maxFileGb: maxImageGb,
    hours: uploadHours,
  })
  const diskReconcile = makeDiskReconcile({
    repo: diskRepo,
    engine,
    announce: disks.announce,
    announceVm: calls.announceVm,
    wakeVm: calls.kickVm,
    // One of them knows it.
    suspectSnapshot: (id) => {
      calls.suspectVmSnapshot(id)
      calls.suspectDiskSnapshot(id)
    },
    uploads: { ...uploadFiles, hours: uploadHours, isClockTrusted: clockGuard.isTrusted },
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
  const { suspect, ...snapshotReconcile } = makeSnapshotReconcile(kind, {
    engine,
    jobs,
    kick: calls.kickDiskSnapshot,
    clock,
    clockGuard,
    log,
  })
  const diskSnapshotReconciler = makeReconciler({
    name: 'disk-snapshot',
    ...snapshotReconcile,
    within: underLease,
    ...rhythm,
    clock,
    log,
  })

  const diskFiles = makeDiskFileService({
    repo: makeDiskFileRepo(db),
    disks,
    diskSnapshots,
    places: queues.downloads,
    open: (of, work) => engine.openDiskFile(of, work),
    cannot,
    clock,
  })

  bus.reads('disk', disks.read)
  bus.reads('disk_snapshot', diskSnapshots.read)
  calls.connect({
    kickDisk: diskReconciler.kick,
    kickDiskSnapshot: diskSnapshotReconciler.kick,
    suspectDiskSnapshot: suspect,
  })
  return { disks, diskSnapshots, uploads, diskFiles, diskReconciler, diskSnapshotReconciler, isInUse }
}
