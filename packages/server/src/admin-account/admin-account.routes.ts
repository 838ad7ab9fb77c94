import { adminAccountApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { AdminAccountService } from './admin-account.service.ts'

export function adminAccountRoutes(route: Route, accounts: AdminAccountService): void {
  route(adminAccountApi.list, ({ user, query }) => accounts.list(user, query))
  route(adminAccountApi.get, ({ user, params }) => accounts.get(user, params.accountId))
  route(adminAccountApi.disable, ({ user, params }) => accounts.disable(user, params.accountId))
  route(adminAccountApi.enable, ({ user, params }) => accounts.enable(user, params.accountId))
  route(adminAccountApi.removeTotp, ({ user, params }) => accounts.removeTotp(user, params.accountId))
  route(adminAccountApi.setLimits, ({ user, params, body }) =>
    accounts.setLimits(user, params.accountId, body),
  )
}
