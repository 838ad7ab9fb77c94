import { networkApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { NetworkService } from './network.service.ts'

export function networkRoutes(route: Route, networks: NetworkService): void {
  route(networkApi.get, ({ params }) => networks.get(params.projectId))
  route(networkApi.update, ({ user, params, body }) => networks.update(user.id, params.projectId, body))
  route(networkApi.ofVm, ({ params }) => networks.ofVm(params.projectId, params.vmId))
}
