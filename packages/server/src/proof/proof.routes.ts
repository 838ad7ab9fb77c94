import { proofApi } from '@slipway/contract'
import { askerOf } from '../http/asker.ts'
import type { Route } from '../http/route.ts'
import type { ProofService } from './proof.service.ts'

export function proofRoutes(route: Route, proofs: ProofService): void {
  route(proofApi.ways, ({ user }) => proofs.ways(user))
  route(proofApi.beginPasskey, ({ user, session }) => proofs.beginPasskey(user, session.id))
  route(proofApi.give, ({ user, session, body }, request, reply) =>
    proofs.give(user, session.id, body, askerOf(request, reply)),
  )
}
