import { totpApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { TotpService } from './totp.service.ts'

export function totpRoutes(route: Route, totp: TotpService): void {
  route(totpApi.get, ({ user }) => totp.get(user))
  route(totpApi.begin, ({ user }) => totp.begin(user))
  route(totpApi.confirm, ({ user, body }, { ip }) => totp.confirm(user, body.code, ip))
  route(totpApi.remove, ({ user }, { ip }) => totp.remove(user, ip))
  route(totpApi.renewCodes, ({ user }, { ip }) => totp.renewCodes(user, ip))
}
