import { type Host, hostApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'

export interface HostFacts {
  host: Host
  /** Rejects when the database does not answer. */
  ping: () => Promise<void>
}

export function hostRoutes(route: Route, facts: HostFacts): void {
  route(hostApi.get, async () => facts.host)
  route(hostApi.health, async () => {
    try {
      await facts.ping()
    } catch {
      throw new Problem(503, 'The database does not respond')
    }
    return { status: 'ok' as const }
  })
}
