import { passkeyApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { PasskeyService } from './passkey.service.ts'

export function passkeyRoutes(route: Route, passkeys: PasskeyService): void {
  route(passkeyApi.list, ({ user }) => passkeys.list(user))
  route(passkeyApi.begin, ({ user, session }) => passkeys.begin(user, session.id))
  route(passkeyApi.create, ({ user, session, body }, { ip }) => passkeys.create(user, session.id, body, ip))
  route(passkeyApi.rename, ({ user, params, body }) => passkeys.rename(user, params.passkeyId, body.name))
  route(passkeyApi.delete, ({ user, params }, { ip }) => passkeys.delete(user, params.passkeyId, ip))
}
