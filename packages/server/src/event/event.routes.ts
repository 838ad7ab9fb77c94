import { eventApi, messages } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventStreams } from '../http/events.ts'
import type { Authenticate, Route } from '../http/route.ts'
import type { Session } from '../http/sessions.ts'
import { Problem } from '../lib/problem.ts'
import type { Topic } from './event.bus.ts'

/** Whose projects may be listened to. Projects announce their changes themselves, so theirs is no import here. */
interface Projects {
  own: (userId: string, projectId: string) => Promise<{ id: string }>
  list: (userId: string) => Promise<readonly { id: string }[]>
}

export function eventRoutes(
  route: Route,
  streams: EventStreams<Topic>,
  projects: Projects,
  authenticate: Authenticate,
): void {
  function open(
    topic: Topic,
    { session, query }: { session: Session; query: { after?: string | undefined } },
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const lastId = request.headers['last-event-id']
    const after = (typeof lastId === 'string' ? lastId : query.after) ?? null
    streams.open(reply, { topic, after }, session, async () => (await authenticate(request)) !== null)
  }

  /** A browser's event stream sends no headers of the page; its query says whose page it is. */
  function requireAccount(user: { id: string }, { account }: { account?: string | undefined }): void {
    if (account !== undefined && account !== user.id) throw new Problem(401, messages.otherAccount)
  }

  route(eventApi.streamAll, async (input, request, reply) => {
    const { user, query } = input
    requireAccount(user, query)
    const projectIds = (await projects.list(user.id)).map(({ id }) => id)
    open({ accountId: user.id, projectIds }, input, request, reply)
  })

  route(eventApi.stream, async (input, request, reply) => {
    const { user, query, params } = input
    requireAccount(user, query)
    const project = await projects.own(user.id, params.projectId)
    open({ projectId: project.id }, input, request, reply)
  })
}
