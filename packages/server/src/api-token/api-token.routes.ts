import { apiTokenApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ApiTokenService } from './api-token.service.ts'

export function apiTokenRoutes(route: Route, tokens: ApiTokenService): void {
  route(apiTokenApi.list, ({ user }) => tokens.list(user.id))
  route(apiTokenApi.create, ({ user, body }) => tokens.create(user.id, body))
  route(apiTokenApi.delete, ({ user, params }) => tokens.delete(user.id, params.apiTokenId))
}
