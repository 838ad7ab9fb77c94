import {
  type AccountDeletion,
  accountDeletionTexts,
  deletionDays,
  messages,
  type User,
} from '@slipway/contract'
import { entry, type Told, wish } from '../activity/entry.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { mailInBackground, type SendMail } from '../mail/mail.ts'
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
  sendMail: SendMail
  installation: () => { productName: string; url: string }
  /** All sessions and API tokens of an account ended: what stands on them has to end too, visits by SSH as well. */
  onEnded: (accountId: string, apiTokenIds: readonly string[]) => void
  apiTokenIds: (accountId: string) => Promise<string[]>
  /** Tells the members of a project that it is frozen, or not any more. */
  announceProject: (projectId: string) => void
  /** Asks the reconciler to look at an account soon. */
  kick: (accountId: string) => void
  clock: Clock
  log: Pick<Log, 'info' | 'error'>
}

export function makeAccountDeletionService(options: AccountDeletionServiceOptions) {
  const { repo, goesAlong, installation, clock, log } = options
  const send = mailInBackground(options.sendMail, log)
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
        entry: told(user, what),
      })
      if (stored === 'signed-out') throw new Problem(401, messages.notAuthenticated)
      if (stored === 'already-requested') throw new Problem(409, accountDeletionTexts.alreadyRequested)
      if (stored === 'last-administrator') throw new Problem(409, accountDeletionTexts.lastAdministrator)
      options.onEnded(user.id, tokens)
      options.kick(user.id)
      await announceProjects(user.id)
      send(deletionRequestedMail(user, installation(), deleteAt, ip), 'deletion-requested')
      return { delete_at: deleteAt }
    },

    async cancel(user: User): Promise<void> {
      const what = wish(user.id, 'accountDeletion.cancel', 'Kept the account')
      if (!(await repo.cancel(user.id, told(user, what))))
        throw new Problem(409, accountDeletionTexts.notRequested)
      await announceProjects(user.id)
      send(accountKeptMail(user, installation()), 'account-kept')
    },

    /** Called once the account is gone. */
    mailDeleted: (account: { name: string; email: string }): void =>
      send(accountDeletedMail(account, installation()), 'account-deleted'),
  }
}
