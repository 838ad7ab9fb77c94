import { vmApi, vmSnapshotApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { VmSnapshotService } from './vm-snapshot.service.ts'

export function vmSnapshotRoutes(route: Route, snapshots: VmSnapshotService): void {
  route(vmSnapshotApi.list, ({ params, query }) => snapshots.list(params.projectId, query))
  route(
    vmSnapshotApi.create,
    ({ user, params, body }) => snapshots.create(user.id, params.projectId, params.vmId, body),
    ({ params }) => snapshots.list(params.projectId, {}),
  )
  route(vmSnapshotApi.restore, ({ user, params, body }) =>
    snapshots.restore(user.id, params.projectId, params.snapshotId, body.vm_id),
  )
  route(vmApi.fork, ({ user, params, body }) => snapshots.fork(user.id, params.projectId, params.vmId, body))
  route(vmSnapshotApi.createVms, ({ user, params, body }) =>
    snapshots.createVms(user.id, params.projectId, params.snapshotId, body),
  )
  route(vmSnapshotApi.delete, ({ user, params, query }) =>
    snapshots.delete(user.id, params.projectId, params.snapshotId, query.for_good === 'true'),
  )
}
