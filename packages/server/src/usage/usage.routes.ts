import { usageApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { UsageService } from './usage.service.ts'

export function usageRoutes(route: Route, usage: UsageService): void {
  route(usageApi.ofProject, ({ user, params, query }) =>
    usage.ofProject(user.id, params.projectId, query.range),
  )
  route(usageApi.ofVms, ({ user, params }) => usage.ofVms(user.id, params.projectId))
  route(usageApi.ofVm, ({ user, params, query }) =>
    usage.ofVm(user.id, params.projectId, params.vmId, query.range),
  )
  route(usageApi.ofVmPool, ({ user, params, query }) =>
    usage.ofVmPool(user.id, params.projectId, params.poolId, query.range),
  )
  route(usageApi.ofVmSet, ({ user, params, query }) =>
    usage.ofVmSet(user.id, params.projectId, params.setId, query.range),
  )
}
