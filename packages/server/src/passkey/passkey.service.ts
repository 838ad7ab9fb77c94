import {
  accountTexts,
  type Passkey,
  type PasskeyMade,
  type PasskeyOptions,
  type PasskeyUsed,
  passkeyLastsMs,
  passkeyLimit,
  passkeyTexts,
  type User,
} from '@slipway/contract'
import type { AccountService, Asker, SignedIn } from '../account/account.service.ts'
import type { RequireWayIn } from '../account/sign-in-ways.service.ts'
import { access, entry, type QueuedMail, type Told, wish, withMails } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Log } from '../lib/log.ts'
import { Problem, refuse } from '../lib/problem.ts'
import type { FactorNews } from '../totp/totp.service.ts'
import { optionsToMake, optionsToUse, readMade, readUsed, type Site } from './passkey.ceremony.ts'
import type { PasskeyRepo, StoredPasskey } from './passkey.repo.ts'

export type PasskeyService = ReturnType<typeof makePasskeyService>

type Account = Parameters<AccountService['openSession']>[0]
type Purpose = 'make' | 'sign-in' | 'proof'

export interface PasskeyServiceOptions {
  repo: PasskeyRepo
  accountById: (id: string) => Promise<Account | null>
  openSession: AccountService['openSession']
  /** Where passkeys work; null where no browser lets this server use them. */
  origin: () => string | null
  productName: string
  /** Counts a request of somebody who is not signed in; throws 429. */
  countRequest: (ip: string) => Promise<void>
  requireWayIn: RequireWayIn
  /** A mail to the owner, to be queued with an entry. */
  mailTo: (owner: User, news: FactorNews, ip: string) => QueuedMail
  /** Has it sent soon, once it is stored. */
  kickMails: () => void
  clock: Clock
  log: Pick<Log, 'error'>
}

/** Keys of people's devices, which count as both factors: the device has the key, and unlocks it for its user only. */
export function makePasskeyService(options: PasskeyServiceOptions) {
  const { repo, clock } = options
  const now = () => isoTime(clock.now())
  const wire = ({ id, name, created_at, last_used_at }: Passkey): Passkey => ({
    id,
    name,
    created_at,
    last_used_at,
  })
  const told = (userId: string, { id, name }: Pick<Passkey, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'passkey', id, name, accountId: userId }, what)
  const refused = () => refuse('passkey', passkeyTexts.refused)

  function site(): Site {
    const origin = options.origin()
    if (origin === null) throw new Problem(409, passkeyTexts.noOrigin)
    return { name: options.productName, origin }
  }

  /** Keeps the challenge of some options until an answer takes it back. */
  async function keep(
    made: PasskeyOptions,
    purpose: Purpose,
    session_id: string | null,
  ): Promise<PasskeyOptions> {
    const expires_at = isoTime(clock.now() + passkeyLastsMs)
    await repo.insertChallenge({ challenge: made.challenge, purpose, session_id, expires_at })
    return made
  }

  const take = (purpose: Purpose, session_id: string | null) => (challenge: string) =>
    repo.takeChallenge({ challenge, purpose, session_id }, now())

  /** What notes the use of a passkey in a transaction; throws 400 when the answer is not that of the passkey. */
  async function check(
    used: PasskeyUsed,
    passkey: StoredPasskey,
    challenge: (challenge: string) => Promise<boolean>,
  ): Promise<(tx: Tx) => Promise<void>> {
    const { userHandle } = used.response
    // The device says whose it is: with another account it was stored under another key.
    const isOwn = !userHandle || Buffer.from(userHandle, 'base64url').toString() === passkey.accountId
    const counter = await readUsed(used, passkey.key, site(), challenge)
    if (counter === null || !isOwn) throw refused()
    return async (tx) => {
      if (!(await repo.use(tx, passkey.id, passkey.key.counter, counter, now()))) throw refused()
    }
  }

  return {
    list: async (user: User): Promise<Passkey[]> => (await repo.list(user.id)).map(wire),

    has: async (accountId: string): Promise<boolean> => (await repo.list(accountId)).length > 0,

    /** Throws 409 where passkeys cannot work, and for an account that has as many as it can have. */
    async begin(user: User, sessionId: string): Promise<PasskeyOptions> {
      const known = await repo.list(user.id)
      if (known.length >= passkeyLimit) throw new Problem(409, passkeyTexts.tooMany)
      const made = await optionsToMake(
        site(),
        user,
        known.map(({ key }) => key),
      )
      return keep(made, 'make', sessionId)
    },

    /** Throws 400 for an answer that is not to a challenge of this session, and 409. */
    async create(
      user: User,
      sessionId: string,
      { name, passkey }: { name: string; passkey: PasskeyMade },
      ip: string,
    ): Promise<Passkey> {
      const key = await readMade(passkey, site(), take('make', sessionId))
      if (!key) throw refused()
      const row = {
        id: newId(clock.now()),
        account_id: user.id,
        name,
        credential_id: key.credentialId,
        public_key: key.publicKey,
        counter: key.counter,
        transports: JSON.stringify(key.transports),
        created_at: now(),
        last_used_at: null,
      }
      const added = wish(user.id, 'passkey.create', `Added passkey ${name}`, `From ${ip}.`)
      const news = {
        subject: 'A passkey was added',
        what: 'A passkey was added to your account. Whoever has it can sign in without your password.',
      }
      const entry = withMails(told(user.id, row, added), options.mailTo(user, news, ip))
      const outcome = await repo.insert(row, entry)
      if (outcome === 'too many') throw new Problem(409, passkeyTexts.tooMany)
      if (outcome === 'known') throw new Problem(409, passkeyTexts.known)
      options.kickMails()
      return wire(row)
    },

    async rename(user: User, id: string, name: string): Promise<Passkey> {
      const renamed = await repo.rename(user.id, id, name, (before) =>
        told(
          user.id,
          { id, name },
          wish(user.id, 'passkey.rename', `Renamed passkey ${before.name} to ${name}`),
        ),
      )
      if (!renamed) throw new Problem(404, passkeyTexts.notFound)
      return wire(renamed)
    },

    /** Throws 404, and 409 for the last way to sign in. */
    async delete(user: User, id: string, ip: string): Promise<void> {
      const news = { subject: 'A passkey was removed', what: 'A passkey was removed from your account.' }
      const gone = await repo.delete(user.id, id, options.requireWayIn, (passkey) => {
        const removed = wish(user.id, 'passkey.delete', `Removed passkey ${passkey.name}`, `From ${ip}.`)
        return withMails(told(user.id, passkey, removed), options.mailTo(user, news, ip))
      })
      if (!gone) throw new Problem(404, passkeyTexts.notFound)
      options.kickMails()
    },

    /** Throws 409 where passkeys cannot work, and 429. */
    async beginSignIn(ip: string): Promise<PasskeyOptions> {
      await options.countRequest(ip)
      return keep(await optionsToUse(site()), 'sign-in', null)
    },

    /** Throws 400 for a passkey that is not known or does not fit, 403 for an account that may not sign in, and 429. */
    async signIn(used: PasskeyUsed, remember: boolean, asker: Asker): Promise<SignedIn> {
      const { ip } = asker
      await options.countRequest(ip)
      const passkey = await repo.byCredential(used.id)
      const account = passkey && (await options.accountById(passkey.accountId))
      if (!account) throw refuse('passkey', passkeyTexts.unknown)
      const prove = await check(used, passkey, take('sign-in', null))
      if (account.disabled) throw new Problem(403, accountTexts.disabled)
      if (!account.email_verified) throw new Problem(403, accountTexts.unverified)
      const signedIn = await options.openSession(account, {
        remember,
        asker,
        told: access(
          account.id,
          'account.signInWithPasskey',
          'Signed in',
          `With passkey ${passkey.name}, from ${ip}.`,
        ),
        prove,
      })
      // A reset or an operator came between.
      if (!signedIn) throw refused()
      return signedIn
    },

    async beginProof(user: User, sessionId: string): Promise<PasskeyOptions> {
      const keys = (await repo.list(user.id)).map(({ key }) => key)
      return keep(await optionsToUse(site(), keys), 'proof', sessionId)
    },

    /** Checks a passkey of somebody who is signed in; answers with what notes its use. Throws 400. */
    async checkProof(user: User, sessionId: string, used: PasskeyUsed) {
      const passkey = await repo.byCredential(used.id)
      if (passkey?.accountId !== user.id) throw refuse('passkey', passkeyTexts.unknown)
      return { name: passkey.name, use: await check(used, passkey, take('proof', sessionId)) }
    },

    /** Forgets challenges that nobody can answer any more. */
    sweep: (): Promise<void> => repo.deleteExpired(now()),
  }
}
