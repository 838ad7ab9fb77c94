import { createHash, randomBytes } from 'node:crypto'
import {
  accountTexts,
  type CodeNeeded,
  isProven,
  type Me,
  maySignUp,
  type SignIn,
  type SignUp,
  type SignUpRule,
  type User,
} from '@slipway/contract'
import { access, type Entry, entry, type Told, wish, withMails } from '../activity/entry.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import type { MailTokenTable, SessionTable } from '../db/schema.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { makeLater } from '../lib/later.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuseForNow } from '../lib/problem.ts'
import { markedToken } from '../lib/session-token.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import type { AccountLimits } from './account.limits.ts'
import { type Kept, type Letter, passwordChangedMail, resetMail, verificationMail } from './account.mails.ts'
import type { Account, AccountRepo, Purpose } from './account.repo.ts'
import { requireUnbreached } from './breached.ts'
import type { Passwords } from './password.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long a mailed link works. */
export const linkLifeMs: Record<Purpose, number> = { verify: day, reset: hour, change: day }
/** A remembered session lasts this long after sign-in; any other this long after its last use. */
const rememberedMs = 30 * day
const idleMs = 12 * hour

/** Names of browsers are shorter; anybody can send longer ones. */
const userAgentKept = 300

/** Requests for mails that may wait to be worked on. */
const mailsWaiting = 200

/** What a cookie or the token of a mailed link is stored under. */
export const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type { Account }

export type AccountService = ReturnType<typeof makeAccountService>

/** Who asks, as far as limits go. */
export interface Asker {
  /** The address the request came from. */
  ip: string
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal
  /** As the browser names itself. */
  userAgent: string | undefined
}

/** A session that is to be stored, and what its browser gets. */
export interface NewSession {
  row: SessionTable
  entry: Entry
  token: string
  /** How long the browser keeps the cookie; null: until it is closed. */
  maxAgeMs: number | null
}

/** A session that was opened. */
export interface SignedIn {
  user: Me
  /** For the cookie. */
  token: string
  /** How long the browser keeps it; null: until it closes. */
  maxAgeMs: number | null
}

export interface ProvenSignIn {
  remember: boolean
  asker: Asker
  told: Told
  prove?: (tx: Tx) => Promise<void>
}

export interface AccountServiceOptions {
  repo: AccountRepo
  /** What has to follow the password of an account; null: nothing. */
  beginSecondStep: (account: Account, remember: boolean) => Promise<CodeNeeded['code_needed'] | null>
  mails: MailQueue
  /** Where mailed links point, without a trailing slash. */
  publicUrl: () => string
  productName: string
  /** Email addresses of administrators, in lower case. */
  admins: readonly string[]
  /** Whether a group of a provider makes administrators, by the settings as they are now. */
  isAdminGroup: (group: { issuer: string; name: string }) => boolean
  signUpRule: SignUpRule
  /** Whether an address in lower case has an invitation to a project that can still be accepted. */
  isInvited: (email: string, now: string) => Promise<boolean>
  /** What of an account a new password does not change. */
  keptOf: (accountId: string) => Promise<Kept>
  /** A session ended, or all of an account: what stands on them has to end too. */
  onSessionsEnded: (ended: { sessionId: string } | { accountId: string }) => void
  limits: AccountLimits
  passwords: Passwords
  clock: Clock
  log: Log
}

export function makeAccountService({
  repo,
  beginSecondStep,
  mails,
  publicUrl,
  productName,
  admins,
  isAdminGroup,
  signUpRule,
  isInvited,
  keptOf,
  onSessionsEnded,
  limits,
  passwords,
  clock,
  log,
}: AccountServiceOptions) {
  const now = () => isoTime(clock.now())
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told): Entry =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  const callerOf = ({ ip, signal }: Asker) => ({ network: clientNetworkOf(ip), signal })

  const later = makeLater(mailsWaiting, log)
  const installation = () => ({ productName, url: publicUrl() })

  /** A mail with a link, which works as long as its row says. */
  const sealLink = (
    letter: Letter,
    { account_id, purpose }: Pick<MailTokenTable, 'account_id' | 'purpose'>,
  ) => mails.seal(letter, { purpose, accountId: account_id, secretLastsMs: linkLifeMs[purpose] })

  /** The time of the answer must not tell whether there is such an account. Throws 503 when too much waits. */
  function afterAnswer(what: string, work: () => Promise<void>): void {
    if (!later.add(what, work)) throw refuseForNow(503, accountTexts.tooManyMails, 60)
  }

  function newToken(accountId: string, purpose: Purpose) {
    const token = randomBytes(32).toString('base64url')
    const row = {
      token_hash: hashOf(token),
      account_id: accountId,
      purpose,
      email: null,
      created_at: now(),
      expires_at: isoTime(clock.now() + linkLifeMs[purpose]),
      used_at: null,
      superseded_at: null,
    }
    return { token, row }
  }

  /**
   * Opens the session of an account after a proven sign-in; null, and nothing is stored, when the account was disabled or got
   * another password meanwhile. `prove` uses up what the sign-in is proven by, in the transaction of the session:
   * when it throws, there is neither.
   */
  async function openSession(account: Account, proven: ProvenSignIn): Promise<SignedIn | null> {
    const { row, entry, token, maxAgeMs } = newSession(account, proven.remember, proven.asker, proven.told)
    const isStored = await repo.insertSession(row, account.passwordHash, entry, proven.prove)
    return isStored ? { user: withRights(account), token, maxAgeMs } : null
  }

  /** Who tried is not known. A full disk must not change the answer. */
  async function noteFailure(account: Account, why: string): Promise<void> {
    const failed = told(account, access(null, 'account.signInFailed', 'A sign-in failed', why))
    await repo.recordOnly(failed).catch((error: unknown) => {
      log.error({ err: error }, 'A failed sign-in could not be noted')
    })
  }

  /** An account, with what it is permitted to do. */
  const withRights = <A extends User & Pick<Me, 'delete_at'>>(account: A): A & Me => ({
    ...account,
    is_admin: admins.includes(account.email),
  })

  /** What every way to sign in begins a session with; `signedIn` tells how, for the activity log. */
  function newSession(
    account: Pick<User, 'id' | 'name'>,
    remember: boolean,
    asker: Asker,
    signedIn: Told,
  ): NewSession {
    const token = markedToken(randomBytes(32).toString('base64url'))
    return {
      token,
      maxAgeMs: remember ? rememberedMs : null,
      row: {
        token_hash: hashOf(token),
        account_id: account.id,
        remember: remember ? 1 : 0,
        created_at: now(),
        last_used_at: now(),
        proven_at: now(),
        expires_at: isoTime(clock.now() + (remember ? rememberedMs : idleMs)),
        user_agent: asker.userAgent?.slice(0, userAgentKept) ?? null,
        ip: asker.ip,
      },
      entry: told(account, signedIn),
    }
  }

  return {
    newSession,

    /** Throws 403 for whom the installation does not let in, 429, and 503 while too many passwords wait to be hashed. */
    async signUp(input: SignUp, asker: Asker): Promise<User> {
      const { ip } = asker
      await limits.request(clientNetworkOf(ip))
      // Before 409: whom it does not let in shall not learn here who has an account.
      const invited = signUpRule.policy !== 'open' && (await isInvited(input.email, now()))
      const allowed = maySignUp(signUpRule, input.email, invited)
      if (allowed !== true) throw new Problem(403, allowed)
      await requireUnbreached(input.password)
      const account = { id: newId(clock.now()), name: input.name, email: input.email, created_at: now() }
      const { token, row } = newToken(account.id, 'verify')
      const password_hash = await passwords.hash(input.password, callerOf(asker))
      try {
        await repo.insert(
          { ...account, password_hash, email_verified_at: null, disabled_at: null },
          row,
          withMails(
            told(account, wish(account.id, 'account.signUp', 'Signed up', `From ${ip}.`)),
            sealLink(verificationMail(account, installation(), token, ip), row),
          ),
        )
      } catch (error) {
        if (isUniqueViolation(error)) throw new Problem(409, accountTexts.emailTaken)
        throw error
      }
      mails.kick()
      return { ...account, email_verified: false }
    },

    openSession,

    /** Checks in the order of the catalogue: password, disabled, unverified. Nobody is signed in where a code is needed too. */
    async signIn(input: SignIn, asker: Asker): Promise<SignedIn | { codeNeeded: CodeNeeded['code_needed'] }> {
      const { ip, signal } = asker
      const attempt = await limits.beginSignIn(input.email, clientNetworkOf(ip))
      const account = await repo.byEmail(input.email)
      const isRight = await passwords
        .verify(input.password, account?.passwordHash ?? null, callerOf(asker))
        .catch(async (error: unknown) => {
          // One who left is counted: otherwise leaving would be a way to ask for ever.
          if (!signal.aborted) await attempt.notMade()
          throw error
        })
      if (!account) throw new Problem(401, accountTexts.badCredentials)
      if (!isRight) {
        await noteFailure(account, `The password was wrong. From ${ip}.`)
        throw new Problem(401, accountTexts.badCredentials)
      }
      await attempt.succeeded()
      if (account.disabled) {
        await noteFailure(account, `The account is disabled. From ${ip}.`)
        throw new Problem(403, accountTexts.disabled)
      }
      if (!account.email_verified) {
        await noteFailure(account, `The email address is not verified. From ${ip}.`)
        throw new Problem(403, accountTexts.unverified)
      }
      const codeNeeded = await beginSecondStep(account, input.remember_me)
      if (codeNeeded) return { codeNeeded }
      const signedIn = await openSession(account, {
        remember: input.remember_me,
        asker,
        told: access(account.id, 'account.signIn', 'Signed in', `From ${ip}.`),
      })
      // A reset came between: what was typed is the old password.
      if (!signedIn) throw new Problem(401, accountTexts.badCredentials)
      return signedIn
    },

    async signOut(token: string | undefined): Promise<void> {
      if (!token) return
      const sessionId = hashOf(token)
      const ended = await repo.deleteSession(sessionId, (account) =>
        told(account, access(account.id, 'account.signOut', 'Signed out')),
      )
      if (ended) onSessionsEnded({ sessionId })
    },

    /**
     * The session of a cookie, by the hash it is stored under, with its account; null when there is none, it expired
     * or the account was disabled.
     */
    async authenticate(token: string | undefined): Promise<{
      id: string
      user: Me
      scope: null
      isProven: boolean
      isLeaving: boolean
      signedInAt: string
      keptUntil: string | null
    } | null> {
      if (!token) return null
      const id = hashOf(token)
      const session = await repo.session(id)
      if (!session || session.expiresAt <= now() || session.account.disabled) return null
      // Once a minute is precise enough for a limit of hours, and spares a write per request.
      if (clock.now() - Date.parse(session.lastUsedAt) > minute) {
        const expiresAt = session.remember ? session.expiresAt : isoTime(clock.now() + idleMs)
        // A full disk must not keep people from looking.
        await repo.touchSession(id, now(), expiresAt).catch((error: unknown) => {
          log.error({ err: error }, 'The use of a session could not be noted')
        })
      }
      const user = withRights(session.account)
      if (session.adminGroup && isAdminGroup(session.adminGroup)) user.is_admin = true
      return {
        id,
        user,
        scope: null,
        isProven: isProven(session.provenAt, clock.now()),
        isLeaving: session.account.delete_at !== null,
        signedInAt: session.signedInAt,
        keptUntil: session.remember ? session.expiresAt : null,
      }
    },

    /** The account, if others may act for it: it may sign in, and is not being deleted. */
    async active(accountId: string): Promise<Me | null> {
      const account = await repo.byId(accountId)
      return account && !account.disabled && account.delete_at === null ? withRights(account) : null
    },

    /** Whose a session is; null when it has ended or the account is being deleted. Looking at it does not keep it alive. */
    async accountOf(sessionId: string): Promise<string | null> {
      const session = await repo.session(sessionId)
      if (!session || session.expiresAt <= now()) return null
      const { id, disabled, delete_at } = session.account
      return disabled || delete_at !== null ? null : id
    },

    /** Answers the same, after the same time, whether or not there is such an account. */
    async resendVerification(email: string, { ip }: Asker): Promise<void> {
      await limits.askForMail(email, clientNetworkOf(ip))
      afterAnswer('mailing a verification link', async function mailVerification() {
        const account = await repo.byEmail(email)
        if (!account || account.email_verified || account.disabled) return
        const { token, row } = newToken(account.id, 'verify')
        const message = 'A new verification link was requested'
        await repo.replaceToken(
          row,
          withMails(
            told(account, wish(null, 'account.resendVerification', message, `From ${ip}.`)),
            sealLink(verificationMail(account, installation(), token, ip), row),
          ),
        )
        mails.kick()
      })
    },

    /**
     * Verifies the address that the link was mailed to, and answers with it. Signs nobody in: the person who opens the
     * link need not be the one who chose the password.
     */
    async verifyEmail(token: string, { ip }: Asker): Promise<string> {
      await limits.openLink(clientNetworkOf(ip))
      const hash = hashOf(token)
      const verified = (account: Pick<User, 'id' | 'name'>) =>
        told(account, wish(account.id, 'account.verifyEmail', 'Verified the email address'))
      await repo.verify(hash, now(), verified)
      const known = await repo.token(hash, 'verify')
      if (!known) throw new Problem(404, accountTexts.linkInvalid)
      // A second click on a link that worked, or on an older one, says what is true: verified.
      if (!known.verified) throw new Problem(400, accountTexts.linkExpired)
      return known.email
    },

    /** Answers the same, after the same time, whether or not there is such an account. */
    async forgotPassword(email: string, { ip }: Asker): Promise<void> {
      await limits.askForMail(email, clientNetworkOf(ip))
      afterAnswer('mailing a password reset link', async function mailReset() {
        const account = await repo.byEmail(email)
        if (!account || account.disabled) return
        // Where the providers say who has an account, leaving one of them must not leave a password behind.
        if (account.passwordHash === '' && signUpRule.policy === 'oidc') return
        const { token, row } = newToken(account.id, 'reset')
        const message = 'A password reset link was requested'
        await repo.replaceToken(
          row,
          withMails(
            told(account, wish(null, 'account.forgotPassword', message, `From ${ip}.`)),
            sealLink(resetMail(account, installation(), token, ip), row),
          ),
        )
        mails.kick()
      })
    },

    /** Throws 429, and 503 while too many passwords wait to be hashed. */
    async resetPassword(token: string, password: string, asker: Asker): Promise<void> {
      const { ip } = asker
      await limits.request(clientNetworkOf(ip))
      const hash = hashOf(token)
      const known = await repo.token(hash, 'reset')
      // Hashing a password is costly: only for a link that can work.
      if (!known || known.used_at || known.superseded_at || known.expires_at <= now()) {
        throw new Problem(400, accountTexts.resetExpired)
      }
      await requireUnbreached(password)
      const kept = await keptOf(known.account_id)
      const changed = (account: Pick<User, 'id' | 'name'>) =>
        withMails(
          told(
            account,
            wish(
              account.id,
              'account.resetPassword',
              'Reset the password with an emailed link',
              `From ${ip}.`,
            ),
          ),
          mails.seal(passwordChangedMail({ ...account, email: known.email }, installation(), kept), {
            purpose: 'password-changed',
            accountId: account.id,
          }),
        )
      const passwordHash = await passwords.hash(password, callerOf(asker))
      const account = await repo.resetPassword(hash, passwordHash, now(), changed)
      if (!account) throw new Problem(400, accountTexts.resetExpired)
      onSessionsEnded({ accountId: account.id })
      mails.kick()
    },

    /** For tests: settles when all mails that were asked for are on their way. */
    async idle(): Promise<void> {
      await later.idle()
    },

    /** Forgets sessions and links nobody can use any more. */
    async sweep(): Promise<void> {
      await repo.deleteExpired(now(), isoTime(clock.now() - 30 * day))
    },
  }
}
