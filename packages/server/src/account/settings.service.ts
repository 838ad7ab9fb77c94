import { randomBytes } from 'node:crypto'
import {
  accountTexts,
  type EmailChange,
  messages,
  type PasswordChange,
  type SessionInfo,
  type User,
} from '@slipway/contract'
import { entry, type Told, wish, withMails } from '../activity/entry.ts'
import type { Changed } from '../event/event.bus.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import type { AccountLimits } from './account.limits.ts'
import {
  emailChangeAskedMail,
  emailChangedMail,
  emailChangeMail,
  passwordChangedMail,
} from './account.mails.ts'
import { type Asker, hashOf, linkLifeMs } from './account.service.ts'
import { requireUnbreached } from './breached.ts'
import type { Passwords } from './password.ts'
import type { SettingsRepo } from './settings.repo.ts'

export type SettingsService = ReturnType<typeof makeSettingsService>

export interface SettingsServiceOptions {
  repo: SettingsRepo
  limits: AccountLimits
  passwords: Passwords
  mails: MailQueue
  installation: () => { productName: string; url: string }
  /** What of an account a new password does not change. */
  keptOf: (accountId: string) => Promise<Parameters<typeof passwordChangedMail>[2]>
  onSessionEnded: (sessionId: string) => void
  /** For the event bus. */
  changed: Changed
  clock: Clock
  log: Log
}

/** What people change of their own accounts while they are signed in. */
export function makeSettingsService(options: SettingsServiceOptions) {
  const { repo, limits, passwords, mails, installation, clock } = options
  const now = () => isoTime(clock.now())
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  /**
   * Checks the password of somebody who is signed in. Guesses count as failed sign-ins. Throws 400, 429, and 503 while too
   * many passwords wait to be hashed.
   */
  async function requirePassword(user: User, password: string, { ip, signal }: Asker): Promise<void> {
    const network = clientNetworkOf(ip)
    const attempt = await limits.beginSignIn(user.email, network)
    const hash = await repo.passwordHash(user.id)
    const isRight = await passwords
      .verify(password, hash, { network, signal })
      .catch(async (error: unknown) => {
        if (!signal.aborted) await attempt.notMade()
        throw error
      })
    if (!isRight || hash === null) throw refuse('password', accountTexts.wrongPassword)
    await attempt.succeeded()
  }

  return {
    requirePassword,

    async rename<U extends User>(user: U, name: string): Promise<U> {
      const renamed = wish(user.id, 'account.update', `Changed the name to ${name}`)
      const owned = await repo.rename(user.id, name, told({ ...user, name }, renamed))
      for (const projectId of owned) options.changed('project', projectId, projectId)
      return { ...user, name }
    },

    /** Throws 503 while too many passwords wait to be hashed. */
    async changePassword(
      user: User,
      sessionId: string,
      { password }: PasswordChange,
      asker: Asker,
    ): Promise<void> {
      await requireUnbreached(password)
      const network = clientNetworkOf(asker.ip)
      const passwordHash = await passwords.hash(password, { network, signal: asker.signal })
      const changed = wish(user.id, 'account.changePassword', 'Changed the password', `From ${asker.ip}.`)
      const ended = await repo.changePassword({
        accountId: user.id,
        passwordHash,
        keepSession: sessionId,
        now: now(),
        entry: withMails(
          told(user, changed),
          mails.seal(passwordChangedMail(user, installation(), await options.keptOf(user.id)), {
            purpose: 'password-changed',
            accountId: user.id,
          }),
        ),
      })
      // A reset came between, and ended this session too.
      if (!ended) throw new Problem(401, messages.notAuthenticated)
      for (const id of ended) options.onSessionEnded(id)
      mails.kick()
    },

    /** Throws 409 for an address that has an account, and 429. */
    async changeEmail(user: User, { email }: EmailChange, asker: Asker): Promise<void> {
      if (email === user.email) throw refuse('email', accountTexts.sameEmail)
      await limits.askForMail(email, clientNetworkOf(asker.ip))
      if (await repo.isTaken(email))
        throw new Problem(409, accountTexts.emailTaken, { email: accountTexts.emailTaken })
      const token = randomBytes(32).toString('base64url')
      const link = {
        token_hash: hashOf(token),
        account_id: user.id,
        purpose: 'change' as const,
        email,
        created_at: now(),
        expires_at: isoTime(clock.now() + linkLifeMs.change),
        used_at: null,
        superseded_at: null,
      }
      const asked = wish(
        user.id,
        'account.changeEmail',
        'Change of the email address requested',
        `To ${email}.`,
      )
      const toNew = mails.seal(emailChangeMail({ ...user, email }, installation(), token, asker.ip), {
        purpose: 'email-change',
        accountId: user.id,
        secretLastsMs: linkLifeMs.change,
      })
      const toOld = mails.seal(emailChangeAskedMail(user, installation(), email, asker.ip), {
        purpose: 'email-change-asked',
        accountId: user.id,
      })
      await repo.insertChange(link, withMails(told(user, asked), toNew, toOld))
      mails.kick()
    },

    /** Answers with the new address. Throws 400 for a link that does not work any more, 409 and 429. */
    async confirmEmail(token: string, { ip }: Asker): Promise<string> {
      await limits.openLink(clientNetworkOf(ip))
      const changed = wish(null, 'account.confirmEmail', 'Changed the email address', `Confirmed from ${ip}.`)
      const taken = await repo.takeChange(hashOf(token), now(), ({ before, email, ...account }) =>
        withMails(
          told(account, { ...changed, actor: account.id }),
          mails.seal(emailChangedMail({ name: account.name, email: before }, installation(), email), {
            purpose: 'email-changed',
            accountId: account.id,
          }),
        ),
      )
      if (taken === null) throw new Problem(400, accountTexts.emailChangeExpired)
      if (taken === 'taken') throw new Problem(409, accountTexts.emailTaken)
      mails.kick()
      return taken.email
    },

    sessions: (user: User, current: string): Promise<SessionInfo[]> => repo.sessions(user.id, current, now()),

    async endSession(user: User, id: string): Promise<void> {
      const ended = wish(user.id, 'account.endSession', 'Ended a session')
      const sessionId = await repo.endSession(user.id, id, told(user, ended))
      if (sessionId === null) throw new Problem(404, accountTexts.sessionNotFound)
      options.onSessionEnded(sessionId)
    },

    async endOtherSessions(user: User, current: string): Promise<void> {
      const ended = wish(user.id, 'account.endOtherSessions', 'Ended all other sessions')
      for (const id of await repo.endOtherSessions(user.id, current, told(user, ended))) {
        options.onSessionEnded(id)
      }
    },
  }
}
