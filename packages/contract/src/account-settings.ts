import { z } from 'zod'
import { accountTexts } from './account.rules.ts'
import { EmailVerified, Me, Message, NewMailAddress, Password } from './account.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { proofTexts } from './proof.rules.ts'
import { Id, name, Time } from './text.ts'

const t = accountTexts

/** A browser, or a program with a cookie, in which the user is signed in. */
export const SessionInfo = z.object({
  id: Id,
  /** The one that asks. */
  current: z.boolean(),
  /** As the browser names itself; null when it did not. */
  user_agent: z.string().nullable(),
  /** From where it was signed in; null for sessions of an earlier version. */
  ip: z.string().nullable(),
  created_at: Time,
  /** To the minute. */
  last_used_at: Time,
})
export type SessionInfo = z.infer<typeof SessionInfo>

export const AccountUpdate = z.object({ name: name(t.nameMissing) })
export const PasswordChange = z.object({ password: Password })
export type PasswordChange = z.infer<typeof PasswordChange>
export const EmailChange = z.object({ email: NewMailAddress })
export type EmailChange = z.infer<typeof EmailChange>

/** From the link that was mailed to the new address. */
export const EmailConfirmation = z.object({
  token: z.string({ error: t.tokenMissing }).min(1, t.tokenMissing).max(200, t.tokenMissing),
})

export const accountSettingsApi = {
  update: endpoint('account.update', {
    summary: 'Change the name of the account',
    auth: 'session',
    status: 200,
    body: AccountUpdate,
    response: Me,
    errors: { 400: [t.nameMissing] },
  }),
  changePassword: endpoint('account.changePassword', {
    summary: 'Change the password; ends all other sessions of the user',
    auth: 'session',
    status: 204,
    body: PasswordChange,
    errors: {
      400: [t.weakPassword, t.breachedPassword],
      403: [proofTexts.needed],
      429: [messages.tooManyAttempts],
      503: [t.tooBusy],
    },
  }),
  changeEmail: endpoint('account.changeEmail', {
    summary: 'Mail a link to a new address, which becomes that of the account when the link is opened',
    auth: 'session',
    status: 202,
    body: EmailChange,
    response: Message,
    errors: {
      400: [t.invalidEmail, t.sameEmail],
      403: [proofTexts.needed],
      409: [t.emailTaken],
      429: [messages.tooManyAttempts],
    },
  }),
  confirmEmail: endpoint('account.confirmEmail', {
    summary: 'Take the new address of an account by the token that was mailed to it',
    auth: 'public',
    status: 200,
    body: EmailConfirmation,
    response: EmailVerified,
    errors: {
      400: [t.tokenMissing, t.emailChangeExpired],
      409: [t.emailTaken],
      429: [messages.tooManyAttempts],
    },
  }),
  sessions: endpoint('account.sessions', {
    summary: "The user's sessions, the one used last first",
    auth: 'session',
    status: 200,
    response: z.array(SessionInfo),
  }),
  endSession: endpoint('account.endSession', {
    summary: 'End a session of the user; its event streams and consoles end at once',
    auth: 'session',
    status: 204,
    params: z.object({ sessionId: Id }),
    errors: { 404: [t.sessionNotFound] },
  }),
  endOtherSessions: endpoint('account.endOtherSessions', {
    summary: 'End all sessions of the user but the one that asks',
    auth: 'session',
    status: 204,
  }),
}
