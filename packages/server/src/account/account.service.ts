import { createHash, randomBytes } from 'node:crypto'
import { accountTexts, messages, type SignIn, type SignUp, type User } from '@slipway/contract'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { access, type Entry, entry, type Told, wish } from '../activity/entry.ts'
import { isUniqueViolation } from '../db/open.ts'
import type { Clock } from '../lib/clock.ts'
import { isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { SendMail } from '../mail/mail.ts'
import { linkMail } from './account.mails.ts'
import type { Account, AccountRepo, Purpose } from './account.repo.ts'
import { hashPassword, verifyPassword } from './password.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** How long a mailed link works. */
const linkLifeMs: Record<Purpose, number> = { verify: day, reset: hour }
/** A remembered session lasts this long after sign-in; any other this long after its last use. */
const rememberedMs = 30 * day
const idleMs = 12 * hour

const window = { duration: 15 * 60 }

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

export type AccountService = ReturnType<typeof makeAccountService>

export interface AccountServiceOptions {
  repo: AccountRepo
  sendMail: SendMail
  /** Where mailed links point, without a trailing slash. */
  publicUrl: () => string
  productName: string
  /** Somebody signed out, or all sessions of an account ended: what stands on them has to end too. */
  onSessionsEnded: () => void
  clock: Clock
  log: Log
}

export function makeAccountService({
  repo,
  sendMail,
  publicUrl,
  productName,
  onSessionsEnded,
  clock,
  log,
}: AccountServiceOptions) {
  const now = () => isoTime(clock.now())
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told): Entry =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  // Failures only: somebody who knows the password is not slowed down (catalogue G-077).
  const signInFailures = new RateLimiterMemory({ ...window, points: 10, keyPrefix: 'signin' })
  const mailRequests = new RateLimiterMemory({ ...window, points: 10, keyPrefix: 'mail' })
  const requestsFromOneAddress = new RateLimiterMemory({ ...window, points: 100, keyPrefix: 'ip' })

  async function spend(limiter: RateLimiterMemory, key: string): Promise<void> {
    try {
      await limiter.consume(key)
    } catch (refused) {
      if (refused instanceof RateLimiterRes) throw new Problem(429, messages.tooManyAttempts)
      throw refused
    }
  }

  function newToken(accountId: string, purpose: Purpose) {
    const token = randomBytes(32).toString('base64url')
    const row = {
      token_hash: hashOf(token),
      account_id: accountId,
      purpose,
      created_at: now(),
      expires_at: isoTime(clock.now() + linkLifeMs[purpose]),
      used_at: null,
      superseded_at: null,
    }
    return { token, row }
  }

  /** Mails leave after the answer: a slow mail server must not hold it, nor tell whether an account exists. */
  function mailLink(account: Pick<User, 'name' | 'email'>, purpose: Purpose, token: string): void {
    const page = purpose === 'verify' ? 'verify-email' : 'reset-password'
    const link = `${publicUrl()}/${page}?token=${token}`
    sendMail(linkMail(purpose, { account, link, productName })).then(
      () => log.info({ to: account.email, purpose }, 'mail sent'),
      (error: unknown) => log.error({ err: error, to: account.email, purpose }, 'mail could not be sent'),
    )
  }

  return {
    async signUp(input: SignUp, ip: string): Promise<User> {
      await spend(requestsFromOneAddress, ip)
      const account = { id: newId(clock.now()), name: input.name, email: input.email, created_at: now() }
      const { token, row } = newToken(account.id, 'verify')
      const password_hash = await hashPassword(input.password)
      try {
        await repo.insert(
          { ...account, password_hash, email_verified_at: null, disabled_at: null },
          row,
          told(account, wish(account.id, 'account.signUp', 'Signed up', `From ${ip}.`)),
        )
      } catch (error) {
        if (isUniqueViolation(error)) throw new Problem(409, accountTexts.emailTaken)
        throw error
      }
      mailLink(account, 'verify', token)
      return { ...account, email_verified: false }
    },

    /** Checks in the order of the catalogue: password, disabled, unverified. */
    async signIn(input: SignIn, ip: string): Promise<{ user: User; token: string; maxAgeMs: number | null }> {
      const key = `${input.email}|${ip}`
      // Spent first and given back below: many guesses at once must not slip through together.
      await spend(signInFailures, key)
      const account = await repo.byEmail(input.email)
      const isRight = await verifyPassword(input.password, account?.passwordHash ?? null)
      if (!account) throw new Problem(401, accountTexts.badCredentials)
      const fail = async (why: string, problem: Problem): Promise<never> => {
        // Who tried is not known.
        const failed = access(null, 'account.signInFailed', 'A sign-in failed', `${why} From ${ip}.`)
        await repo.recordOnly(told(account, failed))
        throw problem
      }
      if (!isRight) return fail('The password was wrong.', new Problem(401, accountTexts.badCredentials))
      await signInFailures.delete(key)
      if (account.disabled) {
        return fail('The account is disabled.', new Problem(403, accountTexts.disabled))
      }
      if (!account.email_verified) {
        return fail('The e-mail address is not verified.', new Problem(403, accountTexts.unverified))
      }
      const token = randomBytes(32).toString('base64url')
      const lifeMs = input.remember_me ? rememberedMs : idleMs
      await repo.insertSession(
        {
          token_hash: hashOf(token),
          account_id: account.id,
          remember: input.remember_me ? 1 : 0,
          created_at: now(),
          last_used_at: now(),
          expires_at: isoTime(clock.now() + lifeMs),
        },
        told(account, access(account.id, 'account.signIn', 'Signed in', `From ${ip}.`)),
      )
      return { user: account, token, maxAgeMs: input.remember_me ? rememberedMs : null }
    },

    async signOut(token: string | undefined): Promise<void> {
      if (!token) return
      await repo.deleteSession(hashOf(token), (account) =>
        told(account, access(account.id, 'account.signOut', 'Signed out')),
      )
      onSessionsEnded()
    },

    /** The account behind a session cookie; null when there is none, it expired or the account was disabled. */
    async authenticate(token: string | undefined): Promise<Account | null> {
      if (!token) return null
      const hash = hashOf(token)
      const session = await repo.session(hash)
      if (!session || session.expiresAt <= now() || session.account.disabled) return null
      // Once a minute is precise enough for a limit of hours, and spares a write per request.
      if (clock.now() - Date.parse(session.lastUsedAt) > minute) {
        const expiresAt = session.remember ? session.expiresAt : isoTime(clock.now() + idleMs)
        await repo.touchSession(hash, now(), expiresAt)
      }
      return session.account
    },

    /** Answers the same whether or not there is such an account. */
    async resendVerification(email: string, ip: string): Promise<void> {
      await spend(mailRequests, `${email}|${ip}`)
      await spend(requestsFromOneAddress, ip)
      const account = await repo.byEmail(email)
      if (!account || account.email_verified || account.disabled) return
      const { token, row } = newToken(account.id, 'verify')
      const message = 'A new link to verify the e-mail address was asked for'
      await repo.replaceToken(
        row,
        told(account, wish(null, 'account.resendVerification', message, `From ${ip}.`)),
      )
      mailLink(account, 'verify', token)
    },

    async verifyEmail(token: string): Promise<void> {
      const hash = hashOf(token)
      const verified = (account: Pick<User, 'id' | 'name'>) =>
        told(account, wish(account.id, 'account.verifyEmail', 'Verified the e-mail address'))
      if (await repo.verify(hash, now(), verified)) return
      const known = await repo.token(hash, 'verify')
      if (!known) throw new Problem(404, accountTexts.linkInvalid)
      // A second click on a link that worked, or on an older one, says what is true: verified.
      if (!known.verified) throw new Problem(400, accountTexts.linkExpired)
    },

    async forgotPassword(email: string, ip: string): Promise<void> {
      await spend(mailRequests, `${email}|${ip}`)
      await spend(requestsFromOneAddress, ip)
      const account = await repo.byEmail(email)
      if (!account || account.disabled) return
      const { token, row } = newToken(account.id, 'reset')
      const message = 'A link to choose a new password was asked for'
      await repo.replaceToken(
        row,
        told(account, wish(null, 'account.forgotPassword', message, `From ${ip}.`)),
      )
      mailLink(account, 'reset', token)
    },

    async resetPassword(token: string, password: string, ip: string): Promise<void> {
      await spend(requestsFromOneAddress, ip)
      const hash = hashOf(token)
      const known = await repo.token(hash, 'reset')
      // Hashing a password is costly: only for a link that can work.
      if (!known || known.used_at || known.superseded_at || known.expires_at <= now()) {
        throw new Problem(400, accountTexts.resetExpired)
      }
      const changed = (account: Pick<User, 'id' | 'name'>) =>
        told(
          account,
          wish(account.id, 'account.resetPassword', 'Chose a new password by a mailed link', `From ${ip}.`),
        )
      if (!(await repo.resetPassword(hash, await hashPassword(password), now(), changed))) {
        throw new Problem(400, accountTexts.resetExpired)
      }
      onSessionsEnded()
    },

    /** Forgets sessions and links nobody can use any more. */
    async sweep(): Promise<void> {
      await repo.deleteExpired(now(), isoTime(clock.now() - 30 * day))
    },
  }
}
