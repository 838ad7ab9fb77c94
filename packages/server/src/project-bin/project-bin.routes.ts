import { coveredBy, projectBinApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ProjectBinService } from './project-bin.service.ts'

export function projectBinRoutes(route: Route, projectBin: ProjectBinService): void {
  route(projectBinApi.list, async ({ user, session }) =>
    coveredBy(session.scope, await projectBin.list(user.id), ({ id }) => id),
  )
  route(projectBinApi.restore, ({ user, params }) => projectBin.restore(user.id, params.itemId))
  route(projectBinApi.empty, ({ user, body }) => projectBin.empty(user.id, body))
  route(projectBinApi.delete, ({ user, params }) => projectBin.delete(user.id, params.itemId))
}
