/** Snapshot schedules of VMs and disks. They are paused: what one took by itself would be a snapshot nobody asked for. */
import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from '@slipway/contract'
import { type Called, type Operation, on } from './operation.ts'

const body = { daily: { time: '03:00', keep: 2 }, paused: true }

function setting(kind: 'vm' | 'disk', param: string, endpoint: Called): Operation {
  const plain = on(kind, param, endpoint, { weight: 1 })
  return { ...plain, parts: (...asked) => ({ ...plain.parts(...asked), body }) }
}

export const ofSchedules: Record<string, Operation> = {
  listVmSchedules: on('project', 'projectId', vmSnapshotScheduleApi.list, { weight: 0.5 }),
  readVmSchedule: on('vm', 'vmId', vmSnapshotScheduleApi.get, { weight: 0.5 }),
  setVmSchedule: setting('vm', 'vmId', vmSnapshotScheduleApi.set),
  deleteVmSchedule: on('vm', 'vmId', vmSnapshotScheduleApi.delete, { weight: 0.5 }),
  listDiskSchedules: on('project', 'projectId', diskSnapshotScheduleApi.list, { weight: 0.5 }),
  readDiskSchedule: on('disk', 'diskId', diskSnapshotScheduleApi.get, { weight: 0.5 }),
  setDiskSchedule: setting('disk', 'diskId', diskSnapshotScheduleApi.set),
  deleteDiskSchedule: on('disk', 'diskId', diskSnapshotScheduleApi.delete, { weight: 0.5 }),
}
