import { diskSnapshotApi } from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import type { Route } from '../http/route.ts'
import type { DiskSnapshotService } from './disk-snapshot.service.ts'

export function diskSnapshotRoutes(route: Route, snapshots: DiskSnapshotService, disks: DiskService): void {
  route(diskSnapshotApi.list, ({ params, query }) => snapshots.list(params.projectId, query))
  route(
    diskSnapshotApi.create,
    ({ user, params, body }) => snapshots.create(user.id, params.projectId, body),
    ({ params }) => snapshots.list(params.projectId, {}),
  )
  route(diskSnapshotApi.delete, ({ user, params, query }) =>
    snapshots.delete(user.id, params.projectId, params.diskSnapshotId, query.for_good === 'true'),
  )
  route(
    diskSnapshotApi.createDisk,
    ({ user, params, body }) => snapshots.createDisk(user.id, params.projectId, params.diskSnapshotId, body),
    ({ params }) => disks.list(params.projectId, {}),
  )
}
