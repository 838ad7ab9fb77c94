import { vmApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { VmService } from './vm.service.ts'

export function vmRoutes(route: Route, vms: VmService): void {
  route(vmApi.list, ({ params }) => vms.list(params.projectId))
  route(
    vmApi.create,
    ({ user, params, body }) => vms.create(user.id, params.projectId, body),
    ({ params }) => vms.list(params.projectId),
  )
  route(vmApi.get, ({ params }) => vms.get(params.projectId, params.vmId))
  route(vmApi.update, ({ user, params, body }) => vms.update(user.id, params.projectId, params.vmId, body))
  route(vmApi.delete, ({ user, params, query }) =>
    vms.delete(user.id, params.projectId, params.vmId, query.for_good === 'true'),
  )
  route(vmApi.start, ({ user, params }) => vms.start(user.id, params.projectId, params.vmId))
  route(vmApi.stop, ({ user, params, body }) => vms.stop(user.id, params.projectId, params.vmId, body.force))
  route(vmApi.suspend, ({ user, params }) => vms.suspend(user.id, params.projectId, params.vmId))
  route(vmApi.keepAwake, ({ user, params }) => vms.keepAwake(user.id, params.projectId, params.vmId))
  route(vmApi.restart, ({ user, params }) => vms.restart(user.id, params.projectId, params.vmId))
}
