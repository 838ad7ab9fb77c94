import { type Proof, totpTexts, type User } from '@slipway/contract'
import type { Asker } from '../account/account.service.ts'
import type { SettingsService } from '../account/settings.service.ts'
import { entry, type QueuedMail, wish, withMails } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { refuse } from '../lib/problem.ts'
import type { PasskeyService } from '../passkey/passkey.service.ts'
import type { TotpService } from '../totp/totp.service.ts'
import type { ProofRepo } from './proof.repo.ts'

export type ProofService = ReturnType<typeof makeProofService>

export interface ProofServiceOptions {
  repo: ProofRepo
  requirePassword: SettingsService['requirePassword']
  hasPassword: (accountId: string) => Promise<boolean>
  totp: Pick<TotpService, 'isOn' | 'check' | 'kickMails'>
  passkeys: Pick<PasskeyService, 'has' | 'beginProof' | 'checkProof'>
  /** Counts a try of a code; throws 429. */
  beginCode: (accountId: string, ip: string) => Promise<{ succeeded: () => Promise<void> }>
  clock: Clock
}

/** Somebody who is signed in confirms who they are, before a call that needs it. */
export function makeProofService(options: ProofServiceOptions) {
  const { repo, requirePassword, hasPassword, totp, passkeys, beginCode, clock } = options

  async function store(
    user: User,
    sessionId: string,
    by: string,
    use?: Parameters<ProofRepo['store']>[3],
    mails: QueuedMail[] = [],
  ) {
    const subject = { type: 'account', id: user.id, name: user.name, accountId: user.id } as const
    const given = wish(user.id, 'proof.give', 'Confirmed their identity', by)
    const told = withMails(entry(clock.now(), subject, given), ...mails)
    await repo.store(sessionId, isoTime(clock.now()), told, use)
  }

  async function byCode(user: User, sessionId: string, code: string, ip: string): Promise<void> {
    const attempt = await beginCode(user.id, ip)
    const right = await totp.check(user.id, code)
    const wrong = () => refuse('code', totpTexts.wrongCode)
    if (!right) throw wrong()
    const what = right.kind === 'totp' ? 'a code' : 'a recovery code'
    async function use(tx: Tx): Promise<void> {
      if (!(await right?.use(tx))) throw wrong()
    }
    await store(user, sessionId, `With ${what}, from ${ip}.`, use, await right.mails(user, ip))
    totp.kickMails()
    await attempt.succeeded()
  }

  return {
    async ways(user: User): Promise<{ password: boolean; code: boolean; passkey: boolean }> {
      const [password, code, passkey] = await Promise.all([
        hasPassword(user.id),
        totp.isOn(user.id),
        passkeys.has(user.id),
      ])
      return { password, code, passkey }
    },

    beginPasskey: passkeys.beginProof,

    /** Throws 400 for what is wrong, 429, and 503 while it cannot be checked. */
    async give(user: User, sessionId: string, proof: Proof, asker: Asker): Promise<void> {
      if (proof.code !== undefined) return byCode(user, sessionId, proof.code, asker.ip)
      if (proof.passkey !== undefined) {
        const { name, use } = await passkeys.checkProof(user, sessionId, proof.passkey)
        return store(user, sessionId, `With passkey ${name}, from ${asker.ip}.`, use)
      }
      await requirePassword(user, proof.password ?? '', asker)
      await store(user, sessionId, `With the password, from ${asker.ip}.`)
    },
  }
}
