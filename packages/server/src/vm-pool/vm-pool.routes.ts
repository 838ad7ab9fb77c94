import { vmPoolApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { VmPoolService } from './vm-pool.service.ts'

export function vmPoolRoutes(route: Route, pools: VmPoolService): void {
  route(vmPoolApi.list, ({ params }) => pools.list(params.projectId))
  route(
    vmPoolApi.create,
    ({ user, params, body }) => pools.create(user.id, params.projectId, body),
    ({ params }) => pools.list(params.projectId),
  )
  route(vmPoolApi.update, ({ user, params, body }) =>
    pools.update(user, params.projectId, params.poolId, body),
  )
  route(vmPoolApi.rollOut, ({ user, params, body }) =>
    pools.rollOut(user, params.projectId, params.poolId, body),
  )
  route(vmPoolApi.continueRollOut, ({ user, params }) =>
    pools.continueRollOut(user, params.projectId, params.poolId),
  )
  route(vmPoolApi.stopRollOut, ({ user, params }) => pools.stopRollOut(user, params.projectId, params.poolId))
  route(vmPoolApi.delete, ({ user, params, query }) =>
    pools.delete(user.id, params.projectId, params.poolId, query.for_good === 'true'),
  )
  route(vmPoolApi.get, ({ params }) => pools.get(params.projectId, params.poolId))
  route(vmPoolApi.history, ({ params }) => pools.history(params.projectId, params.poolId))
}
