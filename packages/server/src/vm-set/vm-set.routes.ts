import { vmSetApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { VmSetService } from './vm-set.service.ts'

export function vmSetRoutes(route: Route, sets: VmSetService): void {
  route(vmSetApi.list, ({ params }) => sets.list(params.projectId))
  route(
    vmSetApi.create,
    ({ user, params, body }) => sets.create(user.id, params.projectId, body),
    ({ params }) => sets.list(params.projectId),
  )
  route(vmSetApi.update, ({ user, params, body }) => sets.update(user, params.projectId, params.setId, body))
  route(vmSetApi.rollOut, ({ user, params, body }) =>
    sets.rollOut(user, params.projectId, params.setId, body),
  )
  route(vmSetApi.continueRollOut, ({ user, params }) =>
    sets.continueRollOut(user, params.projectId, params.setId),
  )
  route(vmSetApi.stopRollOut, ({ user, params }) => sets.stopRollOut(user, params.projectId, params.setId))
  route(vmSetApi.delete, ({ user, params, query }) =>
    sets.delete(user.id, params.projectId, params.setId, query.for_good === 'true'),
  )
  route(vmSetApi.get, ({ params }) => sets.get(params.projectId, params.setId))
  route(vmSetApi.history, ({ params }) => sets.history(params.projectId, params.setId))
}
