import { shareApi } from '@slipway/contract'
import type { FastifyInstance } from 'fastify'
import type { Authenticate, Route } from '../http/route.ts'
import { safePath } from '../lib/safe-path.ts'
import { leadTo, pages, showPage } from './share.pages.ts'
import type { ShareService } from './share.service.ts'
import type { ShareRecord } from './share.state.ts'

export function shareRoutes(route: Route, shares: ShareService): void {
  route(shareApi.list, ({ user, params }) => shares.listFor(user.id, params.projectId))
  route(
    shareApi.create,
    ({ user, params, body }) => shares.create(user.id, params.projectId, params.vmId, body),
    ({ params }) => shares.list(params.projectId),
  )
  route(shareApi.update, ({ user, params, body }) =>
    shares.update(user.id, params.projectId, params.shareId, body),
  )
  route(shareApi.delete, ({ user, params }) => shares.delete(user.id, params.projectId, params.shareId))
  route(shareApi.ports, ({ params }) => shares.ports(params.projectId, params.vmId))
}

/**
 * The page of the console that people come to from a share that they have not opened yet: it leads those who are signed
 * in back, with a code that stands for their session there. The session itself never leaves the console.
 */
export function shareOpenRoute(
  app: FastifyInstance,
  options: {
    shares: Pick<ShareService, 'lead'>
    authenticate: Authenticate
    originOf: (share: ShareRecord, host: string | undefined) => string | null
  },
): void {
  app.get('/share/open', async (request, reply) => {
    reply.hijack()
    const show = (page: Parameters<typeof showPage>[0]) => showPage(page, request.raw, reply.raw)
    // Only people come here: a page of a guest that asks by script, or in a frame, gets no code.
    const { 'sec-fetch-mode': mode, 'sec-fetch-dest': dest } = request.headers
    if ((mode ?? 'navigate') !== 'navigate' || (dest ?? 'document') !== 'document')
      return show(pages.notYours)
    const session = await options.authenticate(request)
    if (!session) {
      const href = `/signin?${new URLSearchParams({ from: request.url })}`
      return show({ ...pages.signInHere, link: { href, label: 'Sign in' } })
    }
    const { share, path } = request.query as Record<string, unknown>
    const led = typeof share === 'string' ? await options.shares.lead(session, share) : null
    const origin = led && options.originOf(led.share, request.headers.host)
    if (!led || origin === null) return show(pages.notYours)
    const query = new URLSearchParams({
      code: led.code,
      path: safePath(typeof path === 'string' ? path : null),
    })
    leadTo(`${origin}/.slipway/open?${query}`, reply.raw)
  })
}
