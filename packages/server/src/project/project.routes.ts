import { coveredBy, projectApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ProjectService } from './project.service.ts'

export function projectRoutes(route: Route, projects: ProjectService): void {
  route(projectApi.list, async ({ user, session }) =>
    coveredBy(session.scope, await projects.list(user.id), ({ id }) => id),
  )
  route(
    projectApi.create,
    ({ user, body }) => projects.create(user, body),
    ({ user }) => projects.list(user.id),
  )
  route(projectApi.delete, ({ user, params, query }) =>
    projects.delete(user.id, params.projectId, {
      withVms: query.with_vms === 'true',
      forGood: query.for_good === 'true',
    }),
  )
}
