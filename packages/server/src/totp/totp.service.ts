import {
  type RecoveryCodes,
  readCode,
  spacedRecoveryCode,
  type Totp,
  type TotpSetup,
  totpTexts,
  type User,
} from '@slipway/contract'
import { type Entry, entry, type QueuedMail, type Told, wish, withMails } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse, require409 } from '../lib/problem.ts'
import { openSecret, sealingKey, sealSecret } from '../lib/sealed-secret.ts'
import { newRecoveryCodes, newSecret, recoveryCodeHash, setupOf, stepOf } from './totp.codes.ts'
import type { TotpRepo } from './totp.repo.ts'

export type TotpService = ReturnType<typeof makeTotpService>

/** A code that is right. It counts when `use` answers true, once. */
export interface RightCode {
  kind: 'totp' | 'recovery'
  /** What its owner is told when it is used, which is queued with the entry that says so. */
  mails: (owner: Person, ip: string) => Promise<QueuedMail[]>
  use: (tx: Tx) => Promise<boolean>
}

/** What its owner is told by mail. */
export interface FactorNews {
  subject: string
  /** A sentence with a full stop. */
  what: string
}

type Person = Pick<User, 'id' | 'name' | 'email'>

export interface TotpServiceOptions {
  repo: TotpRepo
  /** The text of the key that secrets are encrypted with. */
  key: string
  productName: string
  /** Counts a try of a code; throws 429. */
  beginCode: (accountId: string, ip: string) => Promise<{ succeeded: () => Promise<void> }>
  /** A mail to the owner, to be queued with an entry. `ip`: from where it was done; null: by an operator. */
  mailTo: (owner: Person, news: FactorNews, ip: string | null) => QueuedMail
  /** Has it sent soon, once it is stored. */
  kickMails: () => void
  clock: Clock
  log: Pick<Log, 'error'>
}

/** Codes of an authenticator app as a second factor, and the recovery codes for when the app is lost. */
export function makeTotpService({
  repo,
  productName,
  mailTo,
  kickMails,
  clock,
  log,
  ...options
}: TotpServiceOptions) {
  const key = sealingKey(options.key, 'slipway totp secret v1')
  const now = () => isoTime(clock.now())
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  function readSecret(sealed: string, accountId: string): Buffer {
    try {
      return openSecret(sealed, key, accountId)
    } catch (error) {
      // What cannot be read is not absent: nobody gets in without it.
      log.error({ err: error, accountId }, 'The secret of an authenticator app could not be read')
      throw new Problem(503, totpTexts.unreadable)
    }
  }

  /** Answers with the codes as they are shown, and with what they are stored under. */
  function newCodes() {
    const codes = newRecoveryCodes()
    const shown: RecoveryCodes = { recovery_codes: codes.map(spacedRecoveryCode) }
    return { shown, hashes: codes.map(recoveryCodeHash) }
  }

  function usedMail(owner: Person, left: number, ip: string): QueuedMail {
    const rest = left === 1 ? 'One is left.' : `${left} are left.`
    const what = `A recovery code of your account was used. ${rest}`
    return mailTo(owner, { subject: 'A recovery code was used', what }, ip)
  }

  /** Since when it is on; null: it is off. */
  async function since(accountId: string): Promise<string | null> {
    return (await repo.find(accountId))?.confirmed_at ?? null
  }

  return {
    since,

    isOn: async (accountId: string): Promise<boolean> => (await since(accountId)) !== null,

    async get(user: User): Promise<Totp> {
      const found = await repo.find(user.id)
      const since = found?.confirmed_at ?? null
      return {
        enabled: since !== null,
        since,
        recovery_codes_left: since === null ? 0 : await repo.recoveryCodesLeft(user.id),
      }
    },

    /** Throws 409 while it is on. */
    async begin(user: User): Promise<TotpSetup> {
      const secret = newSecret()
      const row = {
        account_id: user.id,
        secret: sealSecret(secret, key, user.id),
        created_at: now(),
        confirmed_at: null,
        last_step: 0,
      }
      const begun = wish(user.id, 'totp.begin', 'Began to set up two-factor authentication')
      require409((await repo.begin(row, told(user, begun))) || totpTexts.alreadyOn)
      return setupOf(secret, productName, user.email)
    },

    /** Throws 400 for a wrong code, 409 when it is on or was not begun, 429, and 503 when the secret cannot be read. */
    async confirm(user: User, text: string, ip: string): Promise<RecoveryCodes> {
      const attempt = await options.beginCode(user.id, ip)
      const found = await repo.find(user.id)
      if (!found) throw new Problem(409, totpTexts.notBegun)
      require409(found.confirmed_at === null || totpTexts.alreadyOn)
      const typed = readCode(text)
      const step =
        typed?.kind === 'totp' ? stepOf(readSecret(found.secret, user.id), typed.code, clock.now()) : null
      if (step === null) throw refuse('code', totpTexts.wrongCode)
      const { shown, hashes } = newCodes()
      const on = wish(user.id, 'totp.confirm', 'Turned two-factor authentication on', `From ${ip}.`)
      const news = {
        subject: 'Two-factor authentication is on',
        what: 'Signing in to your account now asks for a code of an authenticator app.',
      }
      const entry = withMails(told(user, on), mailTo(user, news, ip))
      require409((await repo.confirm(found, step, now(), hashes, entry)) || totpTexts.notBegun)
      kickMails()
      await attempt.succeeded()
      return shown
    },

    /** Throws 409 when it is off. */
    async remove(user: User, ip: string): Promise<void> {
      const off = wish(user.id, 'totp.remove', 'Turned two-factor authentication off', `From ${ip}.`)
      const news = {
        subject: 'Two-factor authentication is off',
        what: 'Signing in to your account does not ask for a code of an authenticator app any more.',
      }
      const entry = withMails(told(user, off), mailTo(user, news, ip))
      require409((await repo.remove(user.id, entry)) || totpTexts.notOn)
      kickMails()
    },

    /**
     * Turns it off for somebody who lost app and codes, and ends their sessions: what was lost may be signed in, and
     * whoever did not ask for this notices at once. Throws 409 when it is off.
     */
    async removeLost(owner: Person, told: Entry): Promise<void> {
      const news = {
        subject: 'Two-factor authentication was turned off',
        what: 'An administrator turned two-factor authentication of your account off, as for somebody who lost the app and the recovery codes, and ended all sessions. Signing in does not ask for a code any more. Set two-factor authentication up anew, and remove passkeys of lost devices.',
      }
      const entry = withMails(told, mailTo(owner, news, null))
      require409((await repo.removeWithSessions(owner.id, entry)) || totpTexts.notOn)
      kickMails()
    },

    /** Throws 409 when it is off. */
    async renewCodes(user: User, ip: string): Promise<RecoveryCodes> {
      const { shown, hashes } = newCodes()
      const renewed = wish(user.id, 'totp.renewCodes', 'Created new recovery codes', `From ${ip}.`)
      const news = {
        subject: 'New recovery codes',
        what: 'New recovery codes were created for your account.',
      }
      const entry = withMails(told(user, renewed), mailTo(user, news, ip))
      require409((await repo.renewCodes(user.id, hashes, entry)) || totpTexts.notOn)
      kickMails()
      return shown
    },

    /** Whether a code of the app or a recovery code is right now; null when it is not. Throws 503 when the secret cannot be read. */
    async check(accountId: string, text: string): Promise<RightCode | null> {
      const typed = readCode(text)
      if (!typed) return null
      if (typed.kind === 'recovery') {
        const hash = recoveryCodeHash(typed.code)
        if (!(await repo.hasRecoveryCode(accountId, hash))) return null
        return {
          kind: 'recovery',
          mails: async (owner, ip) => [usedMail(owner, (await repo.recoveryCodesLeft(owner.id)) - 1, ip)],
          use: (tx) => repo.useRecoveryCode(tx, accountId, hash, now()),
        }
      }
      const found = await repo.find(accountId)
      if (!found || found.confirmed_at === null) return null
      const step = stepOf(readSecret(found.secret, accountId), typed.code, clock.now())
      if (step === null || step <= found.last_step) return null
      return { kind: 'totp', mails: async () => [], use: (tx) => repo.useStep(tx, accountId, step) }
    },

    kickMails,
  }
}
