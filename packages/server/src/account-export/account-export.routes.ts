import { Readable } from 'node:stream'
import { accountExportApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { AccountExportService } from './account-export.service.ts'

export function accountExportRoutes(route: Route, exports: AccountExportService): void {
  route(accountExportApi.get, async ({ user, session }, _, reply) => {
    const text = await exports.export(user, session.id)
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="slipway-account.json"')
      .send(Readable.from(text))
  })
}
