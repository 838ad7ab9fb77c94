import { adminAccountApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { AdminAccountService } from './admin-account.service.ts'

export function adminAccountRoutes(route: Route, desk: AdminAccountService): void {
  route(adminAccountApi.list, ({ user, query }) => desk.list(user, query))
  route(adminAccountApi.get, ({ user, params }) => desk.get(user, params.accountId))
  route(adminAccountApi.disable, ({ user, params }) => desk.disable(user, params.accountId))
  route(adminAccountApi.enable, ({ user, params }) => desk.enable(user, params.accountId))
  route(adminAccountApi.removeTotp, ({ user, params }) => desk.removeTotp(user, params.accountId))
  route(adminAccountApi.setLimits, ({ user, params, body }) => desk.setLimits(user, params.accountId, body))
}
