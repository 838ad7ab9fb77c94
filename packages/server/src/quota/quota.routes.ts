import { quotaApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { QuotaService } from './quota.service.ts'

export function quotaRoutes(route: Route, quotas: QuotaService): void {
  route(quotaApi.ofAccount, ({ user }) => quotas.ofAccount(user.id))
  route(quotaApi.ofProject, ({ params }) => quotas.ofProject(params.projectId))
}
