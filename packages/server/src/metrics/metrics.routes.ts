import { hostApi, messages } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import { carriesToken } from '../lib/bearer.ts'
import { Problem } from '../lib/problem.ts'
import type { MetricsService } from './metrics.service.ts'

/** Who has the token may read the figures of every VM, and do nothing else. */
export function metricsRoutes(route: Route, metrics: MetricsService, token: string): void {
  route(hostApi.metrics, async (_, request, reply) => {
    if (!carriesToken(request.headers.authorization, token)) {
      void reply.header('www-authenticate', 'Bearer')
      throw new Problem(401, messages.notAuthenticated)
    }
    await reply.header('content-type', metrics.contentType).send(await metrics.text())
  })
}
