import { shareApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ShareService } from './share.service.ts'

export function shareRoutes(route: Route, shares: ShareService): void {
  route(shareApi.list, ({ user, params }) => shares.list(user.id, params.projectId))
  route(
    shareApi.create,
    ({ user, params, body }) => shares.create(user.id, params.projectId, params.vmId, body),
    ({ user, params }) => shares.list(user.id, params.projectId),
  )
  route(shareApi.update, ({ user, params, body }) =>
    shares.update(user.id, params.projectId, params.shareId, body),
  )
  route(shareApi.delete, ({ user, params }) => shares.delete(user.id, params.projectId, params.shareId))
  route(shareApi.ports, ({ user, params }) => shares.ports(user.id, params.projectId, params.vmId))
}
