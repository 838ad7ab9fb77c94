import '@fastify/cookie'
import { oidcApi } from '@slipway/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { NewSession } from '../account/account.service.ts'
import { askerOf } from '../http/asker.ts'
import type { Authenticate, Route } from '../http/route.ts'
import { asWayOut } from '../lib/way-out.ts'
import type { IdentityService } from './identity.service.ts'
import { type OidcService, type Visit, visitLifeMs } from './oidc.service.ts'

/** The way back is no call of the API: providers lead browsers there from their own site. */
const callbackPath = '/oidc/:provider/callback'

/** Where a provider leads people back to, as it has to be registered there. `publicUrl`: without a slash at its end. */
export const callbackOf = (publicUrl: string, provider: string): string =>
  `${publicUrl}${callbackPath.replace(':provider', provider)}`

/** `formRoute` takes what forms send. */
export function oidcRoutes(
  { route, formRoute }: { route: Route; formRoute: Route },
  { oidc, identities }: { oidc: OidcService; identities: IdentityService },
  isSecure: boolean,
): void {
  function setOut(reply: FastifyReply, { url, cookie }: Visit): { url: string } {
    // Only the way back needs it. Lax, because it comes from the provider's site.
    reply.setCookie(cookie.name, cookie.value, { ...cookieOf(isSecure), maxAge: visitLifeMs / 1000 })
    return { url }
  }
  route(oidcApi.begin, async ({ params, body }, request, reply) =>
    setOut(reply, await oidc.begin(params.provider, body, askerOf(request, reply))),
  )
  route(oidcApi.list, ({ user }) => identities.list(user))
  route(oidcApi.link, async ({ user, body }, request, reply) =>
    setOut(reply, await oidc.beginLink(user, body.provider, askerOf(request, reply))),
  )
  route(oidcApi.unlink, ({ user, params }) => identities.unlink(user, params.identityId))
  formRoute(oidcApi.signOut, async ({ params, body }, request, reply) => {
    await oidc.signOut(params.provider, body.logout_token, request.ip)
    reply.header('cache-control', 'no-store')
  })
}

const cookieOf = (isSecure: boolean) =>
  ({ path: '/oidc/', httpOnly: true, sameSite: 'lax', secure: isSecure }) as const

/** The way back from a provider. It shows nothing itself: it leads to the page that the visit ends on. */
export function oidcCallbackRoute(
  app: FastifyInstance,
  options: {
    oidc: OidcService
    authenticate: Authenticate
    isSecure: boolean
    setSession: (reply: FastifyReply, session: NewSession) => void
  },
): void {
  // Signing in is a way out of a full disk by whichever means, see full-disk.rules.ts.
  app.get(callbackPath, (request, reply) => asWayOut(() => arrive(request, reply)))

  async function arrive(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { provider } = request.params as { provider: string }
    const session = await options.authenticate(request)
    const used: string[] = []
    const arrival = await options.oidc.arrive(
      provider,
      request.url.split('?')[1] ?? '',
      (name) => {
        used.push(name)
        return request.cookies[name]
      },
      session?.user ?? null,
      askerOf(request, reply),
    )
    for (const name of used) reply.clearCookie(name, cookieOf(options.isSecure))
    if (arrival.session) options.setSession(reply, arrival.session)
    return reply.header('cache-control', 'no-store').redirect(arrival.to, 303)
  }
}
