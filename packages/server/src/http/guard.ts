import helmet from '@fastify/helmet'
import { messages } from '@slipway/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../lib/problem.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Security headers on everything, and no state change from another site: cookies alone must not be enough
 * (catalogue G-076). Browsers say where a request comes from in `Sec-Fetch-Site`; where that is missing, a foreign
 * `Origin` decides; programs send neither.
 */
export async function installGuard(app: FastifyInstance, publicUrl: URL | null): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // Template pictures come from wherever whoever added the template says.
        imgSrc: ["'self'", 'data:', 'https:', 'http:'],
        // Positioned menus set inline styles.
        styleSrc: ["'self'", "'unsafe-inline'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // Whoever puts TLS in front says so by the public address.
    hsts: publicUrl?.protocol === 'https:' ? { maxAge: 15_552_000 } : false,
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'same-origin' },
  })

  app.addHook('onRequest', async (request) => {
    if (safe.has(request.method)) return
    const site = request.headers['sec-fetch-site']
    if (site !== undefined) {
      if (site !== 'same-origin' && site !== 'none') throw new Problem(403, messages.crossSite)
      return
    }
    const { origin, host } = request.headers
    if (origin === undefined) return
    const from = URL.canParse(origin) ? new URL(origin).host : null
    if (from === null || (from !== host && from !== publicUrl?.host))
      throw new Problem(403, messages.crossSite)
  })
}
