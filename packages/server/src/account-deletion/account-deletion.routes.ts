import { accountDeletionApi } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Asker } from '../account/account.service.ts'
import type { Route } from '../http/route.ts'
import type { AccountDeletionService } from './account-deletion.service.ts'

/** `askerOf`: who asks, as far as limits go. `endSession` takes the cookie of the session that ended. */
export function accountDeletionRoutes(
  route: Route,
  deletions: AccountDeletionService,
  {
    askerOf,
    endSession,
  }: {
    askerOf: (request: FastifyRequest, reply: FastifyReply) => Asker
    endSession: (reply: FastifyReply) => void
  },
): void {
  route(accountDeletionApi.get, ({ user }) => deletions.get(user))
  route(accountDeletionApi.request, async ({ user, body }, request, reply) => {
    const answer = await deletions.request(user, body.current_password, askerOf(request, reply))
    endSession(reply)
    return answer
  })
  route(accountDeletionApi.cancel, ({ user }) => deletions.cancel(user))
}
