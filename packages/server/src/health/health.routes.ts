import { healthApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { HealthService } from './health.service.ts'

export function healthRoutes(route: Route, health: HealthService): void {
  route(healthApi.get, ({ user }) => health.ofServer(user))
  route(healthApi.capacity, ({ user }) => health.capacity(user))
}
