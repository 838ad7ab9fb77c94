import type { SshKey } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { SshKeyTable } from '../db/schema.ts'

const toSshKey = (row: SshKeyTable): SshKey => ({
  id: row.id,
  name: row.name,
  public_key: row.public_key,
  fingerprint: row.fingerprint,
  is_default: row.is_default === 1,
  created_at: row.created_at,
})

export type SshKeyRepo = ReturnType<typeof makeSshKeyRepo>

export function makeSshKeyRepo(db: Db) {
  return {
    /** The default key first, then by age. */
    async list(accountId: string): Promise<SshKey[]> {
      const rows = await db
        .selectFrom('ssh_key')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('is_default', 'desc')
        .orderBy('id')
        .execute()
      return rows.map(toSshKey)
    },

    async find(accountId: string, keyId: string): Promise<SshKey | null> {
      const row = await db
        .selectFrom('ssh_key')
        .selectAll()
        .where('id', '=', keyId)
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ? toSshKey(row) : null
    },

    /** Stores a key. The first one of an account is its default; a new default unsets the old. */
    async insert(row: Omit<SshKeyTable, 'is_default'>, wantsDefault: boolean, entry: Entry): Promise<SshKey> {
      return db.transaction().execute(async (tx) => {
        const current = await tx
          .selectFrom('ssh_key')
          .select('id')
          .where('account_id', '=', row.account_id)
          .where('is_default', '=', 1)
          .executeTakeFirst()
        if (wantsDefault && current) {
          await tx.updateTable('ssh_key').set({ is_default: 0 }).where('id', '=', current.id).execute()
        }
        const stored = { ...row, is_default: wantsDefault || !current ? 1 : 0 } as const
        await tx.insertInto('ssh_key').values(stored).execute()
        await record(tx, [entry])
        return toSshKey(stored)
      })
    },

    /** Deletes a key; when it was the default, the oldest one left takes its place. Returns it; null when there is none. */
    async delete(accountId: string, keyId: string, tell: (key: SshKey) => Entry): Promise<SshKey | null> {
      return db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('ssh_key')
          .where('id', '=', keyId)
          .where('account_id', '=', accountId)
          .returningAll()
          .executeTakeFirst()
        if (!gone) return null
        await record(tx, [tell(toSshKey(gone))])
        if (gone.is_default === 1) {
          const heir = await tx
            .selectFrom('ssh_key')
            .select('id')
            .where('account_id', '=', accountId)
            .orderBy('id')
            .limit(1)
            .executeTakeFirst()
          if (heir) await tx.updateTable('ssh_key').set({ is_default: 1 }).where('id', '=', heir.id).execute()
        }
        return toSshKey(gone)
      })
    },
  }
}
