import helmet from '@fastify/helmet'
import { messages } from '@slipway/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { apiTokenOf } from '../lib/bearer.ts'
import { Problem } from '../lib/problem.ts'
import { isOwnHost } from './host-name.ts'

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Security headers on everything, and no state change from another site: cookies alone must not be enough
 * (catalogue G-076), and no answer under a name that is not ours. Browsers say where a request comes from in `Sec-Fetch-Site`; where that is missing, a foreign
 * `Origin` decides; programs send neither.
 */
export async function installGuard(
  app: FastifyInstance,
  publicUrl: URL | null,
  hostNames: readonly string[],
): Promise<void> {
  const ownNames = new Set([...hostNames, ...(publicUrl ? [publicUrl.hostname] : [])])
  // Before everything else: another name's page must not even see an error of ours.
  app.addHook('onRequest', async ({ headers }) => {
    if (!isOwnHost(headers.host, ownNames)) throw new Problem(421, messages.foreignHost)
  })

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
    // A socket is opened by a GET, and cookies come along from any site. Pages of shared ports may be of the same site,
    // which cookies come along from in any case; they could not read an answer, but hold event streams open.
    const isHarmless = safe.has(request.method) && request.headers.upgrade === undefined
    if (isHarmless && !request.url.startsWith('/api/')) return
    // No page of another site can send one along: browsers ask first, and the answer is no. Its cookies then do not count.
    if (apiTokenOf(request) !== null) return
    if (isFromOtherSite(request.headers, publicUrl)) throw new Problem(403, messages.crossSite)
  })
}

function isFromOtherSite(headers: FastifyRequest['headers'], publicUrl: URL | null): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  const { origin, host } = headers
  if (origin === undefined) return false
  const from = URL.canParse(origin) ? new URL(origin).host : null
  return from === null || (from !== host && from !== publicUrl?.host)
}
