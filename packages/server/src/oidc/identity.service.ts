import {
  hasHiddenCharacters,
  type Identity,
  isEmail,
  maySignUp,
  type OidcProblem,
  oidcTexts,
  type SignUpRule,
  type User,
} from '@slipway/contract'
import type { AccountService, Asker, NewSession } from '../account/account.service.ts'
import type { RequireWayIn } from '../account/sign-in-ways.service.ts'
import { access, entry, type QueuedMail, type Told, wish, withMails } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import type { IdentityRepo, KnownAccount } from './identity.repo.ts'
import { identityMail } from './oidc.mails.ts'
import type { OidcProvider, Person } from './oidc.provider.ts'

const nameKept = 100

export type IdentityService = ReturnType<typeof makeIdentityService>

export interface IdentityServiceOptions {
  repo: IdentityRepo
  providers: readonly Pick<OidcProvider, 'issuer' | 'settings'>[]
  newSession: AccountService['newSession']
  signUpRule: SignUpRule
  /** Whether an address in lower case has an invitation to a project that can still be accepted. */
  isInvited: (email: string, now: string) => Promise<boolean>
  requireWayIn: RequireWayIn
  mails: MailQueue
  installation: () => { productName: string; url: string }
  clock: Clock
  log: Log
}

/** Which accounts people get into whom a provider has signed in, and what of that their owners can change. */
export function makeIdentityService(options: IdentityServiceOptions) {
  const { repo, providers, newSession, signUpRule, mails, installation, clock, log } = options
  const now = () => isoTime(clock.now())
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  const labelOf = (issuer: string): string =>
    providers.find((one) => one.issuer === issuer)?.settings.label ?? new URL(issuer).host

  const mailTo = (
    { id, email }: Pick<User, 'id' | 'email'>,
    label: string,
    what: 'linked' | 'unlinked',
  ): QueuedMail =>
    mails.seal(identityMail(email, installation(), label, what), {
      purpose: `identity-${what}`,
      accountId: id,
    })

  const identityRow = (accountId: string, { issuer, subject, email }: Person) => ({
    id: newId(clock.now()),
    account_id: accountId,
    issuer,
    subject,
    email,
    linked_at: now(),
    last_used_at: now(),
  })
  const linked = (account: Pick<User, 'id' | 'name'>, issuer: string, { ip }: Asker) =>
    told(account, wish(account.id, 'oidc.link', `Linked an identity at ${labelOf(issuer)}`, `From ${ip}.`))

  /** The account that somebody gets into, and what of it is new; or why they do not get in. */
  async function accountFor(
    person: Person,
  ): Promise<{ account: KnownAccount; isNew: boolean; isLinked: boolean } | OidcProblem> {
    const known = await repo.byIdentity(person.issuer, person.subject)
    if (known)
      return known.isDisabled ? noteDisabled(known) : { account: known, isNew: false, isLinked: true }
    const email = person.email?.toLowerCase() ?? ''
    if (!isEmail(email)) return 'no_email'
    // Whoever may write any address there would else get into the account of its owner here.
    if (!person.emailVerified) return 'unverified_email'
    const found = await repo.byEmail(email, person.issuer)
    if (found) {
      if (found.isDisabled) return noteDisabled(found)
      // Somebody may have signed up with an address that is not theirs, and still know the password.
      if (!found.isVerified) return 'unverified_account'
      // Another tab was faster, between the two questions.
      if (found.linkedSubject === person.subject) return { account: found, isNew: false, isLinked: true }
      // The address was somebody else's, who has an account here.
      if (found.linkedSubject !== null) return 'other_identity'
      return { account: found, isNew: false, isLinked: false }
    }
    const isInvited = signUpRule.policy !== 'open' && (await options.isInvited(email, now()))
    if (maySignUp(signUpRule, email, isInvited, 'provider') !== true) return 'sign_up'
    const account = {
      id: newId(clock.now()),
      name: nameOf(person, email),
      email,
      isVerified: true,
      isDisabled: false,
      hasPassword: false,
    }
    return { account, isNew: true, isLinked: false }
  }

  async function noteDisabled(account: KnownAccount): Promise<'disabled'> {
    const failed = access(null, 'account.signInFailed', 'A sign-in failed', 'The account is disabled.')
    // A full disk must not change the answer.
    await repo.recordOnly(told(account, failed)).catch((error: unknown) => {
      log.error({ err: error }, 'A failed sign-in could not be noted')
    })
    return 'disabled'
  }

  /**
   * A session for somebody who comes back from a visit that begun at that time, with whatever account and identity it needs; or
   * why there is none.
   */
  async function signIn(
    person: Person,
    visit: { remember: boolean; begun: string },
    asker: Asker,
    mayRetry = true,
  ): Promise<NewSession | OidcProblem> {
    const found = await accountFor(person)
    if (typeof found === 'string') return found
    const { account, isNew, isLinked } = found
    const label = labelOf(person.issuer)
    const signedIn = access(account.id, 'account.signIn', 'Signed in', `With ${label}, from ${asker.ip}.`)
    const session = newSession(account, visit.remember, asker, signedIn)
    const signedUp = wish(account.id, 'account.signUp', 'Signed up', `With ${label}, from ${asker.ip}.`)
    const outcome = await repo.signIn({
      ...(isNew && {
        account: {
          row: {
            id: account.id,
            name: account.name,
            email: account.email,
            password_hash: '',
            email_verified_at: now(),
            disabled_at: null,
            created_at: now(),
          },
          entry: told(account, signedUp),
        },
      }),
      ...(!isLinked && {
        identity: {
          row: identityRow(account.id, person),
          entry: isNew
            ? linked(account, person.issuer, asker)
            : withMails(linked(account, person.issuer, asker), mailTo(account, label, 'linked')),
        },
      }),
      session: {
        row: session.row,
        entry: session.entry,
        of: {
          issuer: person.issuer,
          subject: person.subject,
          sid: person.sid,
          admin_group: person.adminGroup,
        },
      },
      begun: visit.begun,
      email: person.email,
      now: now(),
    })
    if (outcome === 'disabled') return 'disabled'
    if (outcome === 'ended') return 'expired'
    // Another tab signed up, or linked, at the same time.
    if (outcome === 'changed') return mayRetry ? signIn(person, visit, asker, false) : 'failed'
    if (!isLinked) mails.kick()
    return session
  }

  /** Links an identity to the account of somebody who is signed in; null, or why not. */
  async function link(person: Person, user: User, asker: Asker): Promise<OidcProblem | null> {
    const holder = await repo.byIdentity(person.issuer, person.subject)
    if (holder) return holder.id === user.id ? null : 'taken'
    const isStored = await repo.link(
      identityRow(user.id, person),
      withMails(linked(user, person.issuer, asker), mailTo(user, labelOf(person.issuer), 'linked')),
    )
    if (!isStored) {
      // Another tab may have been faster with the very same one.
      const now = await repo.byIdentity(person.issuer, person.subject)
      return now === null ? 'linked_before' : now.id === user.id ? null : 'taken'
    }
    mails.kick()
    return null
  }

  return {
    signIn,
    link,
    hasPassword: repo.hasPassword,

    async list(user: User): Promise<{ identities: Identity[]; has_password: boolean }> {
      const [identities, has_password] = await Promise.all([
        repo.list(user.id, (issuer) => ({
          provider: providers.find((one) => one.issuer === issuer)?.settings.name ?? null,
          label: labelOf(issuer),
        })),
        repo.hasPassword(user.id),
      ])
      return { identities, has_password }
    },

    /** Throws 404, and 409 for the last way to sign in. */
    async unlink(user: User, id: string): Promise<void> {
      const isThere = await repo.unlink(user.id, id, options.requireWayIn, ({ issuer }) => {
        const label = labelOf(issuer)
        return withMails(
          told(user, wish(user.id, 'oidc.unlink', `Unlinked the identity at ${label}`)),
          mailTo(user, label, 'unlinked'),
        )
      })
      if (!isThere) throw new Problem(404, oidcTexts.identityNotFound)
      mails.kick()
    },
  }
}

/** What an account is called that comes with its first sign-in; its owner can change it. */
function nameOf({ name }: Person, email: string): string {
  const said = [...(name ?? '')].slice(0, nameKept).join('').trim()
  return said !== '' && !hasHiddenCharacters(said) ? said : email.slice(0, email.indexOf('@'))
}
