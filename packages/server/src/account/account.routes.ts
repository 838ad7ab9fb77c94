import '@fastify/cookie'
import { accountApi } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonedSignal } from '../http/abandoned.ts'
import type { Route } from '../http/route.ts'
import type { AccountService, Asker } from './account.service.ts'

const sessionCookie = 'slipway_session'

/** The session token a request carries. */
export const sessionToken = (request: FastifyRequest): string | undefined => request.cookies[sessionCookie]

const askerOf = (request: FastifyRequest, reply: FastifyReply): Asker => ({
  ip: request.ip,
  signal: abandonedSignal(reply),
})

export function accountRoutes(route: Route, accounts: AccountService, secureCookies: boolean): void {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure: secureCookies } as const
  const clear = (reply: FastifyReply) => reply.clearCookie(sessionCookie, cookie)

  route(accountApi.me, async ({ user }) => accounts.me(user))

  route(accountApi.signIn, async ({ body }, request, reply) => {
    const { user, token, maxAgeMs } = await accounts.signIn(body, askerOf(request, reply))
    reply.setCookie(sessionCookie, token, {
      ...cookie,
      ...(maxAgeMs !== null && { maxAge: maxAgeMs / 1000 }),
    })
    return { user, message: 'Signed in successfully' }
  })

  route(accountApi.signUp, async ({ body }, request, reply) => ({
    user: await accounts.signUp(body, askerOf(request, reply)),
    message: 'Account created. Please check your email to verify your address.',
  }))

  route(accountApi.signOut, async (_, request, reply) => {
    await accounts.signOut(sessionToken(request))
    clear(reply)
  })

  route(accountApi.resendVerification, async ({ body }, request, reply) => {
    await accounts.resendVerification(body.email, askerOf(request, reply))
    return { message: 'Verification email sent! Please check your inbox.' }
  })

  route(accountApi.verifyEmail, async ({ body }, request, reply) => {
    await accounts.verifyEmail(body.token, askerOf(request, reply))
    return { message: 'Email verified successfully' }
  })

  route(accountApi.forgotPassword, async ({ body }, request, reply) => {
    await accounts.forgotPassword(body.email, askerOf(request, reply))
    return { message: 'If an account exists for this address, a reset link is on its way.' }
  })

  route(accountApi.resetPassword, async ({ body }, request, reply) => {
    await accounts.resetPassword(body.token, body.password, askerOf(request, reply))
    clear(reply)
    return { message: 'Password changed. Please sign in.' }
  })
}
