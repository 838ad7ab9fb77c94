/** Snapshot schedules in project files, where they are in the entries of their VMs and disks. */
import { isDeepStrictEqual } from 'node:util'
import type {
  Disk,
  DiskSnapshotSchedule,
  ProjectFile,
  ProjectFileDiskSchedule,
  ProjectFileVmSchedule,
  Vm,
  VmSnapshotSchedule,
} from '@slipway/contract'

export type ScheduledVm = Vm & { snapshot_schedule: VmSnapshotSchedule | null }
export type ScheduledDisk = Disk & { snapshot_schedule: DiskSnapshotSchedule | null }

/** Schedules by the parts of a file that have them in their entries. A schedule goes by the name of its VM or disk. */
export const schedulesOf = { disks: 'disk_schedules', vms: 'vm_schedules' } as const
export type SchedulePart = (typeof schedulesOf)[keyof typeof schedulesOf]

type Schedule = ProjectFileVmSchedule | ProjectFileDiskSchedule

/** The schedule that a file has of a VM or disk. */
export function scheduleIn(file: ProjectFile, what: SchedulePart, name: string): Schedule | undefined {
  return (what === 'vm_schedules' ? file.vms : file.disks)[name]?.snapshot_schedule
}

/** A schedule without what came of it. */
export function scheduleEntry<S extends Schedule>(schedule: S) {
  const { hourly, daily, weekly, time_zone, paused } = schedule
  const snapshot_type: S['snapshot_type'] = schedule.snapshot_type
  return { hourly, daily, weekly, time_zone, paused, snapshot_type }
}

/** What differs between a schedule that is there and one that is wanted. */
export function scheduleChanges(now: Schedule, wanted: Schedule) {
  const from = scheduleEntry(now)
  return Object.entries(scheduleEntry(wanted)).flatMap(([field, to]) => {
    const was = from[field as keyof typeof from]
    return isDeepStrictEqual(was, to) ? [] : [{ field, from: was, to }]
  })
}
