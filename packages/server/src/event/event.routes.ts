import { eventApi } from '@slipway/contract'
import type { EventStreams } from '../http/events.ts'
import type { Authenticate, Route } from '../http/route.ts'
import type { ProjectService } from '../project/project.service.ts'

export function eventRoutes(
  route: Route,
  streams: EventStreams,
  projects: ProjectService,
  authenticate: Authenticate,
): void {
  route(eventApi.stream, async ({ user, session, params }, request, reply) => {
    const project = await projects.own(user.id, params.projectId)
    streams.open(reply, project.id, session, async () => (await authenticate(request)) !== null)
  })
}
