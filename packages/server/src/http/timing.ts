import type { FastifyInstance } from 'fastify'

/** Tells how long each call of the API took. */
export function installTiming(
  app: FastifyInstance,
  observe: (answered: { method: string; route: string; status: number; ms: number }) => void,
): void {
  app.addHook('onResponse', async ({ method, routeOptions: { url } }, { statusCode, elapsedTime }) => {
    if (url?.startsWith('/api/')) observe({ method, route: url, status: statusCode, ms: elapsedTime })
  })
}
