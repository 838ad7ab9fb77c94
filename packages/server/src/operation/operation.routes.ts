import { operationApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { OperationService } from './operation.service.ts'

export function operationRoutes(route: Route, operations: OperationService): void {
  route(operationApi.list, ({ params }) => operations.list(params.projectId))
  route(operationApi.cancel, ({ user, params }) =>
    operations.cancel(user.id, params.projectId, params.operationId),
  )
  route(operationApi.listAll, ({ user }) => operations.listAll(user))
  route(operationApi.cancelAny, ({ user, params }) => operations.cancelAny(user, params.operationId))
}
