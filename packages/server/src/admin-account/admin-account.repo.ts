import { foldForSearch } from '@slipway/contract'
import { sql } from 'kysely'
import { setDisabled } from '../account/account.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { projectsInBin } from '../bin/bin.conditions.ts'
import type { Db } from '../db/open.ts'

/** An account, with how much it has. */
export interface StoredAccount {
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

export type AdminAccountRepo = ReturnType<typeof makeAdminAccountRepo>

/** How many rows a search reads at once that may turn out not to be meant. */
const rowsAtOnce = 200

/** `%` and `_` stand for themselves in what somebody types. */
const containing = (folded: string): string => `%${folded.replace(/[\\%_]/g, '\\$&')}%`

/** Whether a column contains a folded text, or may do so because it has more than plain letters. SQLite has no escape character of its own. */
const contains = (column: 'name' | 'email', folded: string) =>
  sql`lower(${sql.ref(column)}) like ${containing(folded)} escape '\\' or octet_length(${sql.ref(column)}) <> length(${sql.ref(column)})`

export function makeAdminAccountRepo(db: Db) {
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
        .where('project.id', 'not in', projectsInBin(db))
        .as('projects'),
      e
        .selectFrom('vm')
        .innerJoin('project', 'project.id', 'vm.project_id')
        .select((v) => v.fn.countAll<number>().as('n'))
        .whereRef('project.account_id', '=', 'account.id')
        .where('vm.wanted_deleted', '=', 0)
        .where('project.id', 'not in', projectsInBin(db))
        .as('vms'),
    ])

  type Row = Awaited<ReturnType<ReturnType<typeof accounts>['execute']>>[number]
  const toAccount = ({ email_verified_at, projects, vms, ...row }: Row): StoredAccount => ({
    ...row,
    email_verified: email_verified_at !== null,
    projects: Number(projects),
    vms: Number(vms),
  })

  async function find(id: string, executor: Db = db): Promise<StoredAccount | null> {
    const row = await accounts(executor).where('id', '=', id).executeTakeFirst()
    return row ? toAccount(row) : null
  }

  return {
    find: (id: string) => find(id),

    /** Newest first. */
    async page(filter: { search?: string | undefined; before?: string | undefined }, limit: number) {
      const folded = foldForSearch(filter.search ?? '')
      const isMeant = ({ name, email }: Row) =>
        foldForSearch(name).includes(folded) || foldForSearch(email).includes(folded)
      const atOnce = folded === '' ? limit : Math.max(limit, rowsAtOnce)
      const found: Row[] = []
      for (let before = filter.before; ; ) {
        let query = accounts()
        // Only plain letters are folded alike by both databases; the others are folded here.
        if (folded !== '')
          query = query.where(sql<boolean>`(${contains('name', folded)} or ${contains('email', folded)})`)
        if (before !== undefined) query = query.where('id', '<', before)
        const rows = await query.orderBy('id', 'desc').limit(atOnce).execute()
        found.push(...rows.filter(isMeant))
        if (rows.length < atOnce || found.length >= limit) return found.slice(0, limit).map(toAccount)
        before = rows.at(-1)?.id
      }
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
      allowed: (account: StoredAccount) => void,
      entryOf: (account: StoredAccount) => Entry,
    ): Promise<StoredAccount | null> {
      return db.transaction().execute(async (tx) => {
        const account = await find(id, tx)
        if (!account) return null
        allowed(account)
        await setDisabled(tx, id, disabledAt)
        await record(tx, [entryOf(account)])
        return { ...account, disabled_at: disabledAt }
      })
    },
  }
}
