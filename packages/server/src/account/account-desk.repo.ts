import { sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'

/** An account, with how much it has. */
export interface DeskAccount {
  id: string
  name: string
  email: string
  email_verified: boolean
  disabled_at: string | null
  delete_at: string | null
  created_at: string
  projects: number
  vms: number
}

export type AccountDeskRepo = ReturnType<typeof makeAccountDeskRepo>

/** `%` and `_` stand for themselves in what somebody types. */
const containing = (text: string): string => `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`

export function makeAccountDeskRepo(db: Db) {
  const accounts = (executor: Db = db) =>
    executor.selectFrom('account').select((e) => [
      'id',
      'name',
      'email',
      'email_verified_at',
      'disabled_at',
      'created_at',
      e
        .selectFrom('account_deletion')
        .select('account_deletion.delete_at')
        .whereRef('account_deletion.account_id', '=', 'account.id')
        .as('delete_at'),
      e
        .selectFrom('project')
        .select((p) => p.fn.countAll<number>().as('n'))
        .whereRef('project.account_id', '=', 'account.id')
        .as('projects'),
      e
        .selectFrom('vm')
        .innerJoin('project', 'project.id', 'vm.project_id')
        .select((v) => v.fn.countAll<number>().as('n'))
        .whereRef('project.account_id', '=', 'account.id')
        .where('vm.wanted_deleted', '=', 0)
        .as('vms'),
    ])

  type Row = Awaited<ReturnType<ReturnType<typeof accounts>['execute']>>[number]
  const toAccount = ({ email_verified_at, projects, vms, ...row }: Row): DeskAccount => ({
    ...row,
    email_verified: email_verified_at !== null,
    projects: Number(projects),
    vms: Number(vms),
  })

  async function find(id: string, executor: Db = db): Promise<DeskAccount | null> {
    const row = await accounts(executor).where('id', '=', id).executeTakeFirst()
    return row ? toAccount(row) : null
  }

  return {
    find: (id: string) => find(id),

    /** Newest first. */
    async page(filter: { search?: string | undefined; before?: string | undefined }, limit: number) {
      let query = accounts()
      if (filter.search) {
        const pattern = containing(filter.search)
        // SQLite has no escape character of its own.
        query = query.where(
          sql<boolean>`(lower(name) like ${pattern} escape '\\' or email like ${pattern} escape '\\')`,
        )
      }
      if (filter.before !== undefined) query = query.where('id', '<', filter.before)
      return (await query.orderBy('id', 'desc').limit(limit).execute()).map(toAccount)
    },

    /** When a session of an account was last used; null when there is none. */
    async lastSeen(accountId: string): Promise<string | null> {
      const row = await db
        .selectFrom('session')
        .select((e) => e.fn.max('last_used_at').as('at'))
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row?.at ?? null
    },

    /**
     * Disables or enables an account, after `allowed` agreed to what it is then; its sessions end with it. Null when there
     * is no such account.
     */
    setDisabled(
      id: string,
      disabledAt: string | null,
      allowed: (account: DeskAccount) => void,
      entryOf: (account: DeskAccount) => Entry,
    ): Promise<DeskAccount | null> {
      return db.transaction().execute(async (tx) => {
        const account = await find(id, tx)
        if (!account) return null
        allowed(account)
        await tx.updateTable('account').set({ disabled_at: disabledAt }).where('id', '=', id).execute()
        if (disabledAt !== null) await tx.deleteFrom('session').where('account_id', '=', id).execute()
        await record(tx, [entryOf(account)])
        return { ...account, disabled_at: disabledAt }
      })
    },
  }
}
