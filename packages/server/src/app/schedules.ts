import type { DiskService } from '../disk/disk.service.ts'
import type { DiskSnapshotService } from '../disk-snapshot/disk-snapshot.service.ts'
import { makeScheduleWatch } from '../snapshot-schedule/schedule-watch.service.ts'
import { makeSnapshotScheduleRepo } from '../snapshot-schedule/snapshot-schedule.repo.ts'
import { makeSnapshotScheduleService } from '../snapshot-schedule/snapshot-schedule.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmSnapshotService } from '../vm-snapshot/vm-snapshot.service.ts'
import type { Base } from './base.ts'

/** When snapshots of VMs and of disks are taken by themselves. */
export function makeSchedules(
  { db, cannot, clock, log, bus, underLease }: Base,
  {
    vms,
    disks,
    vmSnapshots,
    diskSnapshots,
  }: {
    vms: VmService
    disks: DiskService
    vmSnapshots: VmSnapshotService
    diskSnapshots: DiskSnapshotService
  },
) {
  const repo = makeSnapshotScheduleRepo(db)
  const { changed } = bus
  const snapshots = { vm: vmSnapshots, disk: diskSnapshots }
  return {
    snapshotSchedules: makeSnapshotScheduleService({ repo, vms, disks, cannot, changed, clock }),
    scheduleWatch: makeScheduleWatch({ repo, snapshots, changed, underLease, clock, log }),
  }
}
