import { accountApi, accountSettingsApi, accountTexts, headers } from '@slipway/contract'
import { askerOf } from '../http/asker.ts'
import { type Route, requireAccount } from '../http/route.ts'
import type { SessionCookie } from '../http/session-cookie.ts'
import type { AccountService } from './account.service.ts'
import type { SettingsService } from './settings.service.ts'

export function accountRoutes(
  route: Route,
  accounts: AccountService,
  cookie: Pick<SessionCookie, 'clear' | 'token'>,
): void {
  route(accountApi.me, async ({ user }) => user)

  route(accountApi.signUp, async ({ body }, request, reply) => ({
    user: await accounts.signUp(body, askerOf(request, reply)),
    message: 'Account created. Please check your email to verify your address.',
  }))

  route(accountApi.signOut, async (_, request, reply) => {
    const token = cookie.token(request)
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
