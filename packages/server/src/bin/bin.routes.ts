import { binApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { BinService } from './bin.service.ts'

export function binRoutes(route: Route, bin: BinService): void {
  route(binApi.list, ({ params }) => bin.list(params.projectId))
  route(binApi.preview, ({ params, body }) => bin.preview(params.projectId, body.ids))
  route(binApi.restore, ({ user, params }) => bin.restore(user.id, params.projectId, params.itemId))
  route(binApi.empty, ({ user, params, body }) => bin.empty(user.id, params.projectId, body))
  route(binApi.delete, ({ user, params }) => bin.delete(user.id, params.projectId, params.itemId))
}
