import {
  type AccountDeletion,
  accountDeletionTexts,
  deletionDays,
  messages,
  type User,
} from '@slipway/contract'
import { change, type Entry, entry, type Told, wish, withMails } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import type { MailQueue } from '../mail/sealed-mail.ts'
import { accountDeletedMail, accountKeptMail, deletionRequestedMail } from './account-deletion.mails.ts'
import type { AccountDeletionRepo } from './account-deletion.repo.ts'
import type { GoesAlongRepo } from './goes-along.repo.ts'

const dayMs = 24 * 60 * 60_000

export type AccountDeletionService = ReturnType<typeof makeAccountDeletionService>

export interface AccountDeletionServiceOptions {
  repo: AccountDeletionRepo
  goesAlong: GoesAlongRepo
  /** E-mail addresses of administrators, in lower case. */
  admins: readonly string[]
  mails: MailQueue
  installation: () => { productName: string; url: string }
  /** All sessions and API tokens of an account ended: what stands on them has to end too, visits by SSH as well. */
  onEnded: (accountId: string, apiTokenIds: readonly string[]) => void
  apiTokenIds: (accountId: string) => Promise<string[]>
  /** Tells the members of a project that it is frozen, or not any more. */
  announceProject: (projectId: string) => void
  /** Asks the reconciler to look at an account soon. */
  kick: (accountId: string) => void
  clock: Clock
}

export function makeAccountDeletionService(options: AccountDeletionServiceOptions) {
  const { repo, goesAlong, mails, installation, clock } = options
  const told = ({ id, name }: Pick<User, 'id' | 'name'>, what: Told) =>
    entry(clock.now(), { type: 'account', id, name, accountId: id }, what)

  async function announceProjects(accountId: string): Promise<void> {
    for (const projectId of await repo.projects(accountId)) options.announceProject(projectId)
  }

  return {
    async get(user: User): Promise<AccountDeletion> {
      const [deletion, goes_along, shared_projects] = await Promise.all([
        repo.find(user.id),
        goesAlong.count(user.id),
        goesAlong.shared(user.id),
      ])
      return { delete_at: deletion?.deleteAt ?? null, goes_along, shared_projects }
    },

    /** Throws 401 when the session has ended meanwhile, and 409. `ip`: of who asks. */
    async request(user: User, sessionId: string, ip: string): Promise<{ delete_at: string }> {
      const deleteAt = isoTime(clock.now() + deletionDays * dayMs)
      const tokens = await options.apiTokenIds(user.id)
      const what = wish(
        user.id,
        'accountDeletion.request',
        `Deletion of the account in ${deletionDays} days requested`,
        `From ${ip}.`,
      )
      const stored = await repo.request(user, {
        accountId: user.id,
        requestedAt: isoTime(clock.now()),
        deleteAt,
        sessionId,
        admins: options.admins,
        entry: withMails(
          told(user, what),
          mails.seal(deletionRequestedMail(user, installation(), deleteAt, ip), {
            purpose: 'deletion-requested',
            accountId: user.id,
          }),
        ),
      })
      if (stored === 'signed-out') throw new Problem(401, messages.notAuthenticated)
      if (stored === 'already-requested') throw new Problem(409, accountDeletionTexts.alreadyRequested)
      if (stored === 'last-administrator') throw new Problem(409, accountDeletionTexts.lastAdministrator)
      options.onEnded(user.id, tokens)
      options.kick(user.id)
      mails.kick()
      await announceProjects(user.id)
      return { delete_at: deleteAt }
    },

    async cancel(user: User): Promise<void> {
      const what = wish(user.id, 'accountDeletion.cancel', 'Kept the account')
      const kept = mails.seal(accountKeptMail(user, installation()), {
        purpose: 'account-kept',
        accountId: user.id,
      })
      if (!(await repo.cancel(user.id, withMails(told(user, what), kept))))
        throw new Problem(409, accountDeletionTexts.notRequested)
      mails.kick()
      await announceProjects(user.id)
    },

    /** What is stored when the account is gone: the mail is about nobody's account any more. */
    deleted: (account: { id: string; name: string; email: string }): Entry =>
      withMails(
        entry(
          clock.now(),
          { type: 'account', id: account.id, name: 'Deleted account' },
          change('account.deleted', 'An account was deleted'),
        ),
        mails.seal(accountDeletedMail(account, installation()), {
          purpose: 'account-deleted',
          accountId: null,
        }),
      ),
  }
}
