import type { User } from '@slipway/contract'
import { deleteAccount, endSessionsOf } from '../account/account.writes.ts'
import { forgetAccount } from '../activity/activity.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { deleteApiTokensOf } from '../api-token/api-token.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import { forgetMailsOf } from '../mail-queue/mail-queue.writes.ts'

/** Why nothing was stored. `signed-out`: the session that asked has ended meanwhile. */
export type Refusal = 'signed-out' | 'already-requested' | 'last-administrator'

/** What is left of a project that goes along. */
export interface Remaining {
  projectId: string
  groups: { id: string; kind: 'pool' | 'set' }[]
  /** VMs that belong to no group. */
  vmIds: string[]
}

export interface Deletion {
  accountId: string
  requestedAt: string
  /** ISO 8601. */
  deleteAt: string
}

export type AccountDeletionRepo = ReturnType<typeof makeAccountDeletionRepo>

export function makeAccountDeletionRepo(db: Db) {
  const projectsOf = (executor: Db, accountId: string) =>
    executor.selectFrom('project').select('id').where('account_id', '=', accountId)

  const deletion = (executor: Db, accountId: string) =>
    executor.selectFrom('account_deletion').selectAll().where('account_id', '=', accountId).executeTakeFirst()

  /** Whether nobody else could look after the server any more. */
  async function isLastAdministrator(tx: Tx, user: User, admins: readonly string[]): Promise<boolean> {
    if (!admins.includes(user.email)) return false
    const other = await tx
      .selectFrom('account')
      .leftJoin('account_deletion as leaving', 'leaving.account_id', 'account.id')
      .select('account.id')
      .where('account.email', 'in', admins)
      .where('account.id', '!=', user.id)
      .where('account.email_verified_at', 'is not', null)
      .where('account.disabled_at', 'is', null)
      .where('leaving.account_id', 'is', null)
      .executeTakeFirst()
    return other === undefined
  }

  return {
    async find(accountId: string): Promise<Deletion | null> {
      const row = await deletion(db, accountId)
      return row
        ? { accountId: row.account_id, requestedAt: row.requested_at, deleteAt: row.delete_at }
        : null
    },

    async all(): Promise<string[]> {
      const rows = await db.selectFrom('account_deletion').select('account_id').execute()
      return rows.map(({ account_id }) => account_id)
    },

    projects: async (accountId: string): Promise<string[]> =>
      (await projectsOf(db, accountId).execute()).map(({ id }) => id),

    /** Stores the wish if the session that asks is still there; all sessions and API tokens end with it. */
    request: (
      user: User,
      wished: Deletion & { sessionId: string; admins: readonly string[]; entry: Entry },
    ): Promise<'requested' | Refusal> =>
      db.transaction().execute(async (tx) => {
        const asking = await tx
          .selectFrom('session')
          .select('token_hash')
          .where('token_hash', '=', wished.sessionId)
          .executeTakeFirst()
        if (!asking) return 'signed-out'
        if (await deletion(tx, user.id)) return 'already-requested'
        if (await isLastAdministrator(tx, user, wished.admins)) return 'last-administrator'
        await tx
          .insertInto('account_deletion')
          .values({ account_id: user.id, requested_at: wished.requestedAt, delete_at: wished.deleteAt })
          .execute()
        await endSessionsOf(tx, user.id)
        await deleteApiTokensOf(tx, user.id)
        await record(tx, [wished.entry])
        return 'requested'
      }),

    /** Takes the wish back; false when there was none. */
    cancel: (accountId: string, entry: Entry): Promise<boolean> =>
      db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('account_deletion')
          .where('account_id', '=', accountId)
          .returning('account_id')
          .executeTakeFirst()
        if (gone) await record(tx, [entry])
        return gone !== undefined
      }),

    /** VMs of the account's projects that are wanted on. What broke is left as it is. */
    async wantedOn(accountId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('vm')
        .select('id')
        .where('project_id', 'in', projectsOf(db, accountId))
        .where('wanted_power', '=', 'on')
        .where('wanted_deleted', '=', 0)
        .where('fault', 'is', null)
        .execute()
      return rows.map(({ id }) => id)
    },

    /** The projects of an account with what they still have. */
    async remaining(accountId: string): Promise<Remaining[]> {
      const projects = await projectsOf(db, accountId).orderBy('id').execute()
      return Promise.all(
        projects.map(async ({ id: projectId }) => {
          const groups = await db
            .selectFrom('vm_group')
            .select(['id', 'kind'])
            .where('project_id', '=', projectId)
            // Those in the bin go with the project.
            .where('bin_id', 'is', null)
            .execute()
          const vms = await db
            .selectFrom('vm')
            .select('id')
            .where('project_id', '=', projectId)
            .where('group_id', 'is', null)
            .where('wanted_deleted', '=', 0)
            .execute()
          return { projectId, groups, vmIds: vms.map(({ id }) => id) }
        }),
      )
    },

    /**
     * Deletes an account that is due and has no projects any more, with all that is stored of it. False when it was kept
     * or has a project again: its rows would go along, and what runs on them would be nobody's.
     */
    finish: (
      accountId: string,
      now: string,
      tell: (account: Pick<User, 'id' | 'name' | 'email'>) => Entry,
    ): Promise<boolean> =>
      db.transaction().execute(async (tx) => {
        const due = await deletion(tx, accountId)
        if (!due || due.delete_at > now) return false
        if (await projectsOf(tx, accountId).executeTakeFirst()) return false
        const account = await tx
          .selectFrom('account')
          .select(['id', 'name', 'email'])
          .where('id', '=', accountId)
          .executeTakeFirstOrThrow()
        await forgetAccount(tx, accountId)
        await forgetMailsOf(tx, accountId)
        await deleteAccount(tx, accountId)
        await record(tx, [tell(account)])
        return true
      }),
  }
}
