import { usageApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { UsageService } from './usage.service.ts'

export function usageRoutes(route: Route, usage: UsageService): void {
  route(usageApi.ofProject, ({ params, query }) => usage.ofProject(params.projectId, query.range))
  route(usageApi.ofVms, ({ params }) => usage.ofVms(params.projectId))
  route(usageApi.ofVm, ({ params, query }) => usage.ofVm(params.projectId, params.vmId, query.range))
  route(usageApi.ofVmPool, ({ params, query }) =>
    usage.ofVmPool(params.projectId, params.poolId, query.range),
  )
  route(usageApi.ofVmSet, ({ params, query }) => usage.ofVmSet(params.projectId, params.setId, query.range))
}
