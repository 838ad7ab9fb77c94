import { adminMailApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { MailDeliveryService } from './mail-delivery.service.ts'

export function mailDeliveryRoutes(route: Route, mails: MailDeliveryService): void {
  route(adminMailApi.list, ({ user, query }) => mails.list(user, query))
  route(adminMailApi.retry, ({ user, params }) => mails.retry(user, params.mailId))
}
