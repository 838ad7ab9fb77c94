import { eventApi, messages } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventStreams } from '../http/events.ts'
import type { Gate, Route } from '../http/route.ts'
import type { Session } from '../http/sessions.ts'
import { Problem } from '../lib/problem.ts'
import type { Topic } from './event.bus.ts'

/** Whose projects may be listened to. Projects announce their changes themselves, so theirs is no import here. */
interface Projects {
  list: (userId: string) => Promise<readonly { id: string }[]>
}

type Api = typeof eventApi

export function eventRoutes(
  route: Route,
  streams: EventStreams<Topic>,
  projects: Projects,
  gate: Gate,
): void {
  function open(
    endpoint: Api['stream'] | Api['streamAll'],
    topic: Topic,
    input: { session: Session; query: { after?: string | undefined } },
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const lastId = request.headers['last-event-id']
    const after = (typeof lastId === 'string' ? lastId : input.query.after) ?? null
    async function isAllowed(): Promise<boolean> {
      if ((await gate.authenticate(request)) === null) return false
      try {
        await gate.admit(endpoint, input)
        return true
      } catch (error) {
        if (error instanceof Problem) return false
        throw error
      }
    }
    streams.open(reply, { topic, after }, input.session, isAllowed)
  }

  /** A browser's event stream sends no headers of the page; its query says whose page it is. */
  function requireAccount(user: { id: string }, { account }: { account?: string | undefined }): void {
    if (account !== undefined && account !== user.id) throw new Problem(401, messages.otherAccount)
  }

  route(eventApi.streamAll, async (input, request, reply) => {
    const { user, query } = input
    requireAccount(user, query)
    const projectIds = (await projects.list(user.id)).map(({ id }) => id)
    open(eventApi.streamAll, { accountId: user.id, projectIds }, input, request, reply)
  })

  route(eventApi.stream, async (input, request, reply) => {
    requireAccount(input.user, input.query)
    open(eventApi.stream, { projectId: input.params.projectId }, input, request, reply)
  })
}
