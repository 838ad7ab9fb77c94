import { diskApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { DiskService } from './disk.service.ts'

export function diskRoutes(route: Route, disks: DiskService): void {
  route(diskApi.list, ({ params, query }) => disks.list(params.projectId, query))
  route(
    diskApi.create,
    ({ user, params, body }) => disks.create(user.id, params.projectId, body),
    ({ params }) => disks.list(params.projectId, {}),
  )
  route(diskApi.update, ({ user, params, body }) =>
    disks.update(user.id, params.projectId, params.diskId, body),
  )
  route(diskApi.delete, ({ user, params, query }) =>
    disks.delete(user.id, params.projectId, params.diskId, query.for_good === 'true'),
  )
  route(diskApi.attach, ({ user, params, body }) =>
    disks.attach(user.id, params.projectId, params.diskId, body.vm_id),
  )
  route(diskApi.detach, ({ user, params }) => disks.detach(user.id, params.projectId, params.diskId))
}
