import { accountDeletionApi } from '@slipway/contract'
import type { FastifyReply } from 'fastify'
import type { Route } from '../http/route.ts'
import type { AccountDeletionService } from './account-deletion.service.ts'

/** `endSession` takes the cookie of the session that ended. */
export function accountDeletionRoutes(
  route: Route,
  deletions: AccountDeletionService,
  endSession: (reply: FastifyReply) => void,
): void {
  route(accountDeletionApi.get, ({ user }) => deletions.get(user))
  route(accountDeletionApi.request, async ({ user, session }, request, reply) => {
    const answer = await deletions.request(user, session.id, request.ip)
    endSession(reply)
    return answer
  })
  route(accountDeletionApi.cancel, ({ user }) => deletions.cancel(user))
}
