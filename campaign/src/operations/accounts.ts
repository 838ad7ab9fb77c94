/** Accounts: users come back, leave, forget their passwords, and newcomers arrive. */
import { accountApi, accountSettingsApi } from '@slipway/contract'
import { type Answer, type Request, requestOf } from '../client.ts'
import { emailOf, password } from '../people.ts'
import { type Called, type Errand, type Operation, plain } from './operation.ts'

/** Asks for a mail, and does what its link says. Null when no answer or no mail came. */
async function byMail(
  { host, person: { client } }: Errand,
  ask: { endpoint: Called; body: { email: string } },
  page: 'verify-email' | 'reset-password',
  follow: (token: string) => Request,
): Promise<Answer | null> {
  const asked = await client.send(requestOf(ask.endpoint, { body: ask.body }))
  if (!asked || asked.status >= 300) return asked
  const link = await host.mailedLink(ask.body.email, page).catch(() => null)
  return link === null ? null : client.send(follow(link.split('token=')[1] ?? ''))
}

export const ofAccounts: Record<string, Operation> = {
  readMe: plain(0.5, accountApi.me),
  signInAgain: plain(0.3, accountApi.signIn, { send: ({ person }) => person.askToSignIn() }),
  signOut: plain(0.3, accountApi.signOut, {
    async send({ person }) {
      const answer = await person.client.send(requestOf(accountApi.signOut))
      await person.signIn()
      return answer
    },
  }),
  signUp: plain(0.2, accountApi.signUp, {
    parts: (_args, _find, handle) => ({ body: { name: handle, email: emailOf(handle), password } }),
  }),
  verifyEmail: plain(0.2, accountApi.verifyEmail, {
    send(errand) {
      const { handle } = errand
      const ask = {
        endpoint: accountApi.signUp,
        body: { name: handle, email: emailOf(handle), password },
      }
      return byMail(errand, ask, 'verify-email', (token) =>
        requestOf(accountApi.verifyEmail, { body: { token } }),
      )
    },
  }),
  resendVerification: plain(0.2, accountApi.resendVerification, {
    parts: (_args, _find, handle) => ({ body: { email: emailOf(handle) } }),
  }),
  forgotPassword: plain(0.2, accountApi.forgotPassword, {
    parts: (_args, _find, handle) => ({ body: { email: emailOf(handle) } }),
  }),
  /** Ends every session of the user, streams and consoles included. */
  resetPassword: plain(0.2, accountApi.resetPassword, {
    async send(errand) {
      const { email, signIn } = errand.person
      const ask = { endpoint: accountApi.forgotPassword, body: { email } }
      const answer = await byMail(errand, ask, 'reset-password', (token) =>
        requestOf(accountApi.resetPassword, { body: { token, password } }),
      )
      await signIn()
      return answer
    },
  }),
  changeName: plain(0.2, accountSettingsApi.update, {
    parts: (_args, _find, handle) => ({ body: { name: handle } }),
  }),
  /** To the same one, so that the user can come back. */
  changePassword: plain(0.2, accountSettingsApi.changePassword, {
    parts: () => ({ body: { password } }),
  }),
  changeEmail: plain(0.2, accountSettingsApi.changeEmail, {
    parts: (_args, _find, handle) => ({ body: { email: emailOf(handle) } }),
  }),
  /** By a link that was never mailed: each user is known by its address. */
  confirmEmail: plain(0.1, accountSettingsApi.confirmEmail, {
    parts: () => ({ body: { token: 'nothing' } }),
  }),
  listSessions: plain(0.3, accountSettingsApi.sessions),
  endOtherSessions: plain(0.2, accountSettingsApi.endOtherSessions),
  endNoSession: plain(0.1, accountSettingsApi.endSession, {
    parts: () => ({ params: { sessionId: 'nothing' } }),
  }),
}
