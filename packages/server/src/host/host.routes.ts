import { gunzipSync } from 'node:zlib'
import { type Host, hostApi } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { packedOpenApi } from './openapi-file.ts'

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
  route(hostApi.openApi, async (_, request, reply) => {
    const packed = await packedOpenApi()
    const takesPacked = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (takesPacked) reply.header('content-encoding', 'gzip')
    reply
      .type('application/json; charset=utf-8')
      .header('vary', 'accept-encoding')
      .header('cache-control', 'no-cache')
      .send(takesPacked ? packed : gunzipSync(packed))
  })
}
