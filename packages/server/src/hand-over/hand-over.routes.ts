import { handOverApi, projectMemberApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { HandOverService } from './hand-over.service.ts'

export function handOverRoutes(route: Route, handOvers: HandOverService): void {
  route(projectMemberApi.handOver, ({ user, params }, request) =>
    handOvers.ask(user, params.projectId, params.memberId, request.ip),
  )
  route(handOverApi.get, ({ user, params }) => handOvers.get(user, params.projectId))
  route(handOverApi.withdraw, ({ user, params }) => handOvers.withdraw(user, params.projectId))
  route(handOverApi.accept, ({ user, params }) => handOvers.accept(user, params.projectId))
  route(handOverApi.decline, ({ user, params }) => handOvers.decline(user, params.projectId))
}
