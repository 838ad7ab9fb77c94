import { templateBinApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { TemplateBinService } from './template-bin.service.ts'

export function templateBinRoutes(route: Route, templateBin: TemplateBinService): void {
  route(templateBinApi.list, ({ user }) => templateBin.list(user))
  route(templateBinApi.restore, ({ user, params }) => templateBin.restore(user, params.itemId))
  route(templateBinApi.delete, ({ user, params }) => templateBin.delete(user, params.itemId))
}
