import { vmPoolApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { VmPoolService } from './vm-pool.service.ts'

export function vmPoolRoutes(route: Route, pools: VmPoolService): void {
  route(vmPoolApi.list, ({ user, params }) => pools.list(user.id, params.projectId))
  route(
    vmPoolApi.create,
    ({ user, params, body }) => pools.create(user.id, params.projectId, body),
    ({ user, params }) => pools.list(user.id, params.projectId),
  )
  route(vmPoolApi.update, ({ user, params, body }) =>
    pools.update(user, params.projectId, params.poolId, body),
  )
  route(vmPoolApi.delete, ({ user, params }) => pools.delete(user.id, params.projectId, params.poolId))
  route(vmPoolApi.get, ({ user, params }) => pools.get(user.id, params.projectId, params.poolId))
  route(vmPoolApi.history, ({ user, params }) => pools.history(user.id, params.projectId, params.poolId))
}
