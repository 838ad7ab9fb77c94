import { projectApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { ProjectService } from './project.service.ts'

export function projectRoutes(route: Route, projects: ProjectService): void {
  route(projectApi.list, ({ user }) => projects.list(user.id))
  route(
    projectApi.create,
    ({ user, body }) => projects.create(user, body),
    ({ user }) => projects.list(user.id),
  )
  route(projectApi.delete, ({ user, params }) => projects.delete(user.id, params.projectId))
}
