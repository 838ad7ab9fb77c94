import { eventApi, messages, type ProjectRole } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EventStreams } from '../http/events.ts'
import type { Gate, Route } from '../http/route.ts'
import type { Session } from '../http/sessions.ts'
import { Problem } from '../lib/problem.ts'
import type { Topic } from './event.bus.ts'

/** Whose projects may be listened to. Projects announce their changes themselves, so theirs is no import here. */
interface Projects {
  list: (userId: string) => Promise<readonly { id: string; role: ProjectRole }[]>
  /** Changes when a user comes into a project, leaves it or becomes something else there. */
  moveOf: (userId: string) => number
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

  /** Begins with what a user is where, as it is at that moment: from then on the bus hears of it. */
  async function withRoles(
    userId: string,
    begin: (roles: ReadonlyMap<string, ProjectRole>) => void,
  ): Promise<void> {
    for (;;) {
      const before = projects.moveOf(userId)
      const roles = new Map((await projects.list(userId)).map(({ id, role }) => [id, role]))
      // In the same turn: nothing can be heard in between.
      if (projects.moveOf(userId) === before) return begin(roles)
    }
  }

  route(eventApi.streamAll, async (input, request, reply) => {
    const { user, query } = input
    requireAccount(user, query)
    await withRoles(user.id, (roles) =>
      open(eventApi.streamAll, { accountId: user.id, roles }, input, request, reply),
    )
  })

  route(eventApi.stream, async (input, request, reply) => {
    const { user, query, params } = input
    requireAccount(user, query)
    await withRoles(user.id, (roles) => {
      const role = roles.get(params.projectId)
      if (!role) throw new Problem(404, messages.projectNotFound)
      const by = { accountId: user.id, role }
      open(eventApi.stream, { projectId: params.projectId, by }, input, request, reply)
    })
  })
}
