import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import fastifyStatic from '@fastify/static'
import { type Host, messages } from '@slipway/contract'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../lib/problem.ts'
import { methodsOf } from './errors.ts'

/**
 * Serves the built front end: hashed assets for ever, everything else fresh, and the page for every address the
 * browser routes itself. The page carries what there is to know of the host, so that it is drawn with the right name
 * at once. Unknown addresses under `/api/` stay JSON.
 */
export async function installStatic(app: FastifyInstance, root: string | null, host: Host): Promise<void> {
  const page = root === null ? null : path.join(root, 'index.html')
  const built = page !== null && existsSync(page)
  // Nothing that looks for a way out of the folder comes near it, nor what no file can be called.
  app.addHook('onRequest', async ({ url }) => {
    if (!isTame(pathOf(url))) throw new Problem(404, messages.notFound)
  })
  if (built && root !== null) {
    await app.register(fastifyStatic, {
      root,
      index: false,
      allowedPath: isFile,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, file) {
        const hashed = file.includes(`${path.sep}assets${path.sep}`)
        reply.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    })
  }
  app.setNotFoundHandler(async (request, reply) => {
    const pathname = pathOf(request.url)
    const methods = methodsOf(pathname)
    if (methods.length > 0) {
      reply.header('allow', methods.join(', '))
      throw new Problem(405, messages.methodNotAllowed)
    }
    const isPage = request.method === 'GET' && !request.url.startsWith('/api/') && !isFile(pathname)
    if (!built || !isPage) throw new Problem(404, messages.notFound)
    // Read anew: a build may have replaced it.
    const html = await readFile(page, 'utf8')
    return reply
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(html.replace('</head>', () => `  ${metaOf(host)}\n  </head>`))
  })
}

const pathOf = (url: string) => url.split('?')[0] ?? ''

/** Whether a path is one that a link of ours could have; one that cannot be decoded is refused elsewhere. */
function isTame(pathname: string): boolean {
  if (pathname.length > 1000) return false
  let decoded: string
  try {
    decoded = decodeURIComponent(pathname)
  } catch {
    return true
  }
  if (decoded.includes('\0') || decoded.includes('\\') || decoded.includes('//')) return false
  return decoded.split('/').every((part) => part !== '..' && part.length <= 255)
}

/** Addresses of files end like file names; the browser's own do not. */
const isFile = (pathname: string) => /\.\w+$/.test(pathname)

function metaOf(host: Host): string {
  const content = JSON.stringify(host)
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
  return `<meta name="slipway-host" content="${content}" />`
}
