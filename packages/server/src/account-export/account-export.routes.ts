import { Readable } from 'node:stream'
import { accountExportApi } from '@slipway/contract'
import { placeUntilSent } from '../http/call-places.ts'
import type { Route } from '../http/route.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import { inTurnsOf } from '../lib/turn.ts'
import type { AccountExportService } from './account-export.service.ts'

export function accountExportRoutes(route: Route, exports: AccountExportService, inExports: FairQueue): void {
  route(accountExportApi.get, async ({ user, session }, _, reply) => {
    await placeUntilSent(inExports, user.id, reply)
    const text = await exports.export(user, session.id)
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="slipway-account.json"')
      .send(Readable.from(inTurnsOf(user.id, text)))
  })
}
