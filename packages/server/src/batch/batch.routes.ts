import { batchApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { BatchService } from './batch.service.ts'

export function batchRoutes(route: Route, batches: BatchService): void {
  route(batchApi.list, ({ params }) => batches.list(params.projectId))
  route(
    batchApi.create,
    ({ user, params, body }) => batches.create(user.id, params.projectId, body),
    ({ params }) => batches.list(params.projectId),
  )
  route(batchApi.get, ({ params }) => batches.get(params.projectId, params.batchId))
  route(batchApi.cancel, ({ user, params }) => batches.cancel(user.id, params.projectId, params.batchId))
}
