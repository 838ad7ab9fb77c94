import { activityApi } from '@slipway/contract'
import { placeUntilSent } from '../http/call-places.ts'
import type { Route } from '../http/route.ts'
import type { FairQueue } from '../lib/fair-queue.ts'
import type { ActivityService } from './activity.service.ts'
import { csv } from './csv.ts'
import { ndjson } from './ndjson.ts'

const writers = {
  ndjson: { type: 'application/x-ndjson', write: ndjson },
  csv: { type: 'text/csv', write: csv },
} as const

export function activityRoutes(route: Route, activity: ActivityService, inExports: FairQueue): void {
  route(activityApi.ofProject, ({ params, query }) => activity.ofProject(params.projectId, query))
  route(activityApi.ofAccount, ({ user, query }) => activity.ofAccount(user.id, query))
  route(activityApi.export, async ({ user, query }, _, reply) => {
    const parts = activity.export(user, query)
    await placeUntilSent(inExports, user.id, reply)
    const { type, write } = writers[query.format]
    reply
      .type(`${type}; charset=utf-8`)
      .header('cache-control', 'no-store')
      .header('content-disposition', `attachment; filename="slipway-activity.${query.format}"`)
      .send(write(parts))
  })
}
