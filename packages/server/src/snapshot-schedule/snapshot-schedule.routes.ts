import { diskSnapshotScheduleApi, vmSnapshotScheduleApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { SnapshotScheduleService } from './snapshot-schedule.service.ts'

export function snapshotScheduleRoutes(route: Route, { ofVm, ofDisk }: SnapshotScheduleService): void {
  route(vmSnapshotScheduleApi.list, ({ params }) => ofVm.list(params.projectId))
  route(vmSnapshotScheduleApi.get, ({ params }) => ofVm.get(params.projectId, params.vmId))
  route(vmSnapshotScheduleApi.set, ({ user, params, body }) =>
    ofVm.set(user.id, params.projectId, params.vmId, body),
  )
  route(vmSnapshotScheduleApi.delete, ({ user, params }) =>
    ofVm.delete(user.id, params.projectId, params.vmId),
  )
  route(diskSnapshotScheduleApi.list, ({ params }) => ofDisk.list(params.projectId))
  route(diskSnapshotScheduleApi.get, ({ params }) => ofDisk.get(params.projectId, params.diskId))
  route(diskSnapshotScheduleApi.set, ({ user, params, body }) =>
    ofDisk.set(user.id, params.projectId, params.diskId, body),
  )
  route(diskSnapshotScheduleApi.delete, ({ user, params }) =>
    ofDisk.delete(user.id, params.projectId, params.diskId),
  )
}
