import { activityApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ActivityService } from './activity.service.ts'
import { ndjson } from './ndjson.ts'

export function activityRoutes(route: Route, activity: ActivityService): void {
  route(activityApi.ofProject, ({ params, query }) => activity.ofProject(params.projectId, query))
  route(activityApi.ofAccount, ({ user, query }) => activity.ofAccount(user.id, query))
  route(activityApi.export, async ({ user, query }, _, reply) => {
    const parts = activity.export(user, query)
    reply
      .type('application/x-ndjson; charset=utf-8')
      .header('cache-control', 'no-store')
      .header('content-disposition', 'attachment; filename="slipway-activity.ndjson"')
      .send(ndjson(parts))
  })
}
