import '@fastify/cookie'
import { accountApi, accountSettingsApi, accountTexts, headers } from '@slipway/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { abandonedSignal } from '../http/abandoned.ts'
import { type Route, requireAccount } from '../http/route.ts'
import type { PasskeyService } from '../passkey/passkey.service.ts'
import type { AccountService, Asker, NewSession, SignedIn } from './account.service.ts'
import type { SecondStepService } from './second-step.service.ts'
import type { SettingsService } from './settings.service.ts'

const sessionCookie = 'slipway_session'

/**
 * The session token a request carries; none where it carries several. Pages on other ports of the host, as those of shared
 * ports, can store cookies here, and one of them would otherwise let somebody act in the account of another.
 */
export function sessionToken(request: FastifyRequest): string | undefined {
  const given = (request.headers.cookie ?? '').split(';').map((one) => one.trim().split('=', 1)[0])
  const isOne = given.filter((name) => name === sessionCookie).length === 1
  return isOne ? request.cookies[sessionCookie] : undefined
}

export const askerOf = (request: FastifyRequest, reply: FastifyReply): Asker => ({
  ip: request.ip,
  signal: abandonedSignal(reply),
  userAgent: request.headers['user-agent'],
})

/** The cookie of a session. */
export function makeSessionCookie(isSecure: boolean) {
  const cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure } as const
  return {
    set(reply: FastifyReply, { token, maxAgeMs }: Pick<NewSession, 'token' | 'maxAgeMs'>): void {
      reply.setCookie(sessionCookie, token, {
        ...cookie,
        ...(maxAgeMs !== null && { maxAge: maxAgeMs / 1000 }),
      })
    },
    clear: (reply: FastifyReply): void => void reply.clearCookie(sessionCookie, cookie),
  }
}

export type SessionCookie = ReturnType<typeof makeSessionCookie>

/** `revision`: what an answer that is begun now includes at least; a page that begins with a sign-in has to know. */
export function accountRoutes(
  route: Route,
  accounts: AccountService,
  secondStep: SecondStepService,
  passkeys: PasskeyService,
  cookie: SessionCookie,
  revision: () => string,
): void {
  function letIn({ user, ...session }: SignedIn, known: string, reply: FastifyReply) {
    cookie.set(reply, session)
    reply.header(headers.revision, known)
    return { user, message: 'Signed in successfully' }
  }

  route(accountApi.me, async ({ user }) => user)

  route(accountApi.signIn, async ({ body }, request, reply) => {
    const known = revision()
    const outcome = await accounts.signIn(body, askerOf(request, reply))
    if ('codeNeeded' in outcome)
      return { code_needed: outcome.codeNeeded, message: 'Enter a code of your authenticator app' }
    return letIn(outcome, known, reply)
  })

  route(accountApi.signInWithCode, async ({ body }, request, reply) => {
    const known = revision()
    return letIn(await secondStep.finish(body.token, body.code, askerOf(request, reply)), known, reply)
  })

  route(accountApi.beginPasskey, (_, { ip }) => passkeys.beginSignIn(ip))

  route(accountApi.signInWithPasskey, async ({ body }, request, reply) => {
    const known = revision()
    const signedIn = await passkeys.signIn(body.passkey, body.remember_me, askerOf(request, reply))
    return letIn(signedIn, known, reply)
  })

  route(accountApi.signUp, async ({ body }, request, reply) => ({
    user: await accounts.signUp(body, askerOf(request, reply)),
    message: 'Account created. Please check your email to verify your address.',
  }))

  route(accountApi.signOut, async (_, request, reply) => {
    const token = sessionToken(request)
    if (request.headers[headers.account] !== undefined) {
      const session = await accounts.authenticate(token)
      if (session) requireAccount(session, request)
    }
    await accounts.signOut(token)
    cookie.clear(reply)
  })

  route(accountApi.resendVerification, async ({ body }, request, reply) => {
    await accounts.resendVerification(body.email, askerOf(request, reply))
    return { message: 'Verification email sent! Please check your inbox.' }
  })

  route(accountApi.verifyEmail, async ({ body }, request, reply) => {
    const email = await accounts.verifyEmail(body.token, askerOf(request, reply))
    return { message: 'Email verified successfully', email }
  })

  route(accountApi.forgotPassword, async ({ body }, request, reply) => {
    await accounts.forgotPassword(body.email, askerOf(request, reply))
    return { message: 'If an account exists for this address, a reset link is on its way.' }
  })

  route(accountApi.resetPassword, async ({ body }, request, reply) => {
    await accounts.resetPassword(body.token, body.password, askerOf(request, reply))
    cookie.clear(reply)
    return { message: 'Password changed. Please sign in.' }
  })
}

export function settingsRoutes(route: Route, settings: SettingsService): void {
  route(accountSettingsApi.update, ({ user, body }) => settings.rename(user, body.name))
  route(accountSettingsApi.changePassword, ({ user, session, body }, request, reply) =>
    settings.changePassword(user, session.id, body, askerOf(request, reply)),
  )
  route(accountSettingsApi.changeEmail, async ({ user, body }, request, reply) => {
    await settings.changeEmail(user, body, askerOf(request, reply))
    return { message: accountTexts.emailChangeSent }
  })
  route(accountSettingsApi.confirmEmail, async ({ body }, request, reply) => {
    const email = await settings.confirmEmail(body.token, askerOf(request, reply))
    return { message: 'Email address changed', email }
  })
  route(accountSettingsApi.sessions, ({ user, session }) => settings.sessions(user, session.id))
  route(accountSettingsApi.endSession, ({ user, params }) => settings.endSession(user, params.sessionId))
  route(accountSettingsApi.endOtherSessions, ({ user, session }) =>
    settings.endOtherSessions(user, session.id),
  )
}
