import { randomBytes } from 'node:crypto'
import { accountTexts, type CodeNeeded, secondStep, totpTexts } from '@slipway/contract'
import {
  type Account,
  type AccountService,
  type Asker,
  hashOf,
  type SignedIn,
} from '../account/account.service.ts'
import { access, type Entry, entry, withMails } from '../activity/entry.ts'
import { clientNetworkOf } from '../lib/client-address.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { TotpService } from '../totp/totp.service.ts'
import type { PendingSignInRepo } from './pending-sign-in.repo.ts'

export type SecondStepService = ReturnType<typeof makeSecondStepService>

export interface SecondStepOptions {
  repo: PendingSignInRepo
  accountById: (id: string) => Promise<Account | null>
  record: (entry: Entry) => Promise<void>
  totp: Pick<TotpService, 'isOn' | 'check' | 'kickMails'>
  /** Counts a try of a code. Throws 429. */
  beginCode: (
    accountId: string,
    network: string,
  ) => Promise<{ succeeded: () => Promise<void>; notMade: () => Promise<void> }>
  /** Counts a step of a sign-in, right or wrong. Throws 429. */
  takeStep: (network: string) => Promise<void>
  openSession: () => AccountService['openSession']
  clock: Clock
  log: Pick<Log, 'error'>
}

/**
 * Between a right password and a code. What waits is no session: it opens nothing, ends after some minutes or some wrong
 * codes, and with the password that it stands on.
 */
export function makeSecondStepService(options: SecondStepOptions) {
  const { repo, totp, clock, log } = options
  const now = () => isoTime(clock.now())

  async function noteFailure(account: Account, ip: string): Promise<void> {
    const subject = { type: 'account', id: account.id, name: account.name, accountId: account.id } as const
    const failed = access(null, 'account.signInFailed', 'A sign-in failed', `The code was wrong. From ${ip}.`)
    await options.record(entry(clock.now(), subject, failed)).catch((error: unknown) => {
      log.error({ err: error }, 'A failed sign-in could not be noted')
    })
  }

  return {
    /** What a sign-in of the account goes on with; null when its password is enough. */
    async begin(account: Account, remember: boolean): Promise<CodeNeeded['code_needed'] | null> {
      if (!(await totp.isOn(account.id))) return null
      const token = randomBytes(32).toString('base64url')
      const expires_at = isoTime(clock.now() + secondStep.lastsMs)
      await repo.insert({
        token_hash: hashOf(token),
        account_id: account.id,
        remember: remember ? 1 : 0,
        password_mark: hashOf(account.passwordHash),
        tries: 0,
        expires_at,
      })
      return { token, expires_at }
    },

    /** Throws 400 for a wrong code, 403 when the password has to be entered anew, 429, and 503 when codes cannot be checked. */
    async finish(token: string, code: string, asker: Asker): Promise<SignedIn> {
      const network = clientNetworkOf(asker.ip)
      await options.takeStep(network)
      const hash = hashOf(token)
      const over = () => new Problem(403, totpTexts.signInOver)
      const pending = await repo.find(hash, now())
      const account = pending && (await options.accountById(pending.account_id))
      if (!account || pending.password_mark !== hashOf(account.passwordHash)) throw over()
      if (account.disabled) throw new Problem(403, accountTexts.disabled)
      const attempt = await options.beginCode(account.id, network)
      if (!(await repo.countTry(hash, secondStep.tries))) {
        await attempt.notMade()
        throw over()
      }
      const right = await totp.check(account.id, code).catch(async (error: unknown) => {
        await attempt.notMade()
        throw error
      })
      const wrong = () => refuse('code', totpTexts.wrongCode)
      if (!right) {
        await noteFailure(account, asker.ip)
        throw wrong()
      }
      const by = right.kind === 'totp' ? 'a code' : 'a recovery code'
      const signedIn = await options.openSession()(account, {
        remember: pending.remember === 1,
        asker,
        told: withMails(
          access(account.id, 'account.signInWithCode', 'Signed in', `With ${by}, from ${asker.ip}.`),
          ...(await right.mails(account, asker.ip)),
        ),
        async prove(tx) {
          if (!(await repo.take(tx, hash))) throw over()
          // Somebody used the same code at the same time.
          if (!(await right.use(tx))) throw wrong()
        },
      })
      if (!signedIn) throw over()
      totp.kickMails()
      await attempt.succeeded()
      return signedIn
    },

    /** Deletes what has expired. */
    sweep: (): Promise<void> => repo.deleteExpired(now()),
  }
}
