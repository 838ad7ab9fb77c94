/** Snapshot schedules of VMs and disks. They are paused: what one took by itself would be a snapshot nobody asked for. */
import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from '@slipway/contract'
import { idOf, type Operation, on } from './operation.ts'

const body = { daily: { time: '03:00', keep: 2 }, paused: true }

export const ofSchedules: Record<string, Operation> = {
  readVmSchedule: on('vm', 'vmId', vmSnapshotScheduleApi.get, { weight: 0.5 }),
  setVmSchedule: on('vm', 'vmId', vmSnapshotScheduleApi.set, {
    weight: 1,
    parts(args, find) {
      const vm = find(args.on)
      return { params: { projectId: idOf(find(String(vm.project))), vmId: idOf(vm) }, body }
    },
  }),
  deleteVmSchedule: on('vm', 'vmId', vmSnapshotScheduleApi.delete, { weight: 0.5 }),
  readDiskSchedule: on('disk', 'diskId', diskSnapshotScheduleApi.get, { weight: 0.5 }),
  setDiskSchedule: on('disk', 'diskId', diskSnapshotScheduleApi.set, {
    weight: 1,
    parts(args, find) {
      const disk = find(args.on)
      return { params: { projectId: idOf(find(String(disk.project))), diskId: idOf(disk) }, body }
    },
  }),
  deleteDiskSchedule: on('disk', 'diskId', diskSnapshotScheduleApi.delete, { weight: 0.5 }),
}
