import { existsSync } from 'node:fs'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import { messages } from '@slipway/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../lib/problem.ts'

/**
 * Serves the built front end: hashed assets for ever, everything else fresh, and `index.html` for every address the
 * browser routes itself. Unknown addresses under `/api/` stay JSON.
 */
export async function installStatic(app: FastifyInstance, root: string | null): Promise<void> {
  const built = root !== null && existsSync(path.join(root, 'index.html'))
  if (built) {
    await app.register(fastifyStatic, {
      root,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        const hashed = file.includes(`${path.sep}assets${path.sep}`)
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.setNotFoundHandler((request, reply) => {
    const isPage =
      request.method === 'GET' &&
      !request.url.startsWith('/api/') &&
      !/\.\w+$/.test(request.url.split('?')[0] ?? '')
    if (!built || !isPage) throw new Problem(404, messages.notFound)
    return reply.sendFile('index.html')
  })
}
