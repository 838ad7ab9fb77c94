import { webhookApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { WebhookService } from './webhook.service.ts'

export function webhookRoutes(route: Route, webhooks: WebhookService): void {
  route(webhookApi.list, ({ params }) => webhooks.list(params.projectId))
  route(webhookApi.create, ({ user, params, body }) => webhooks.create(user.id, params.projectId, body))
  route(webhookApi.get, ({ params }) => webhooks.get(params.projectId, params.webhookId))
  route(webhookApi.update, ({ user, params, body }) =>
    webhooks.update(user.id, params.projectId, params.webhookId, body),
  )
  route(webhookApi.renewSecret, ({ user, params }) =>
    webhooks.renewSecret(user.id, params.projectId, params.webhookId),
  )
  route(webhookApi.delete, ({ user, params }) => webhooks.delete(user.id, params.projectId, params.webhookId))
  route(webhookApi.test, ({ user, params }) => webhooks.test(user.id, params.projectId, params.webhookId))
  route(webhookApi.deliveries, ({ params, query }) =>
    webhooks.deliveries(params.projectId, params.webhookId, query),
  )
  route(webhookApi.retry, ({ user, params }) =>
    webhooks.retry(user.id, params.projectId, params.webhookId, params.deliveryId),
  )
}
