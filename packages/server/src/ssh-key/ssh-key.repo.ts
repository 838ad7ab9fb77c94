import type { SshKey } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { SshKeyTable } from '../db/schema.ts'
import { isShared } from './ssh-key.conditions.ts'

/** A row, and whether another account has stored its key too. */
type Row = Omit<SshKeyTable, 'proof_code' | 'proof_expires_at'> & { shared: unknown }

const toSshKey = (row: Row): SshKey => ({
  id: row.id,
  name: row.name,
  public_key: row.public_key,
  fingerprint: row.fingerprint,
  is_default: row.is_default === 1,
  created_at: row.created_at,
  proof: row.proven_at !== null ? 'proven' : row.shared ? 'needed' : 'not_needed',
})

type NewKey = Pick<SshKeyTable, 'id' | 'account_id' | 'name' | 'public_key' | 'fingerprint' | 'created_at'>

export type SshKeyRepo = ReturnType<typeof makeSshKeyRepo>

export function makeSshKeyRepo(db: Db) {
  const keysOf = (on: Db | Tx, accountId: string) =>
    on.selectFrom('ssh_key').selectAll().select(isShared().as('shared')).where('account_id', '=', accountId)

  return {
    /** The default key first, then by age. */
    async list(accountId: string): Promise<SshKey[]> {
      const rows = await keysOf(db, accountId).orderBy('is_default', 'desc').orderBy('id').execute()
      return rows.map(toSshKey)
    },

    async find(accountId: string, keyId: string): Promise<SshKey | null> {
      const row = await keysOf(db, accountId).where('id', '=', keyId).executeTakeFirst()
      return row ? toSshKey(row) : null
    },

    /** Stores a key. The first one of an account is its default; a new default unsets the old. */
    async insert(row: NewKey, wantsDefault: boolean, entry: Entry): Promise<SshKey> {
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
        const unproven = { proven_at: null, proof_code: null, proof_expires_at: null }
        await tx
          .insertInto('ssh_key')
          .values({ ...row, ...unproven, is_default: wantsDefault || !current ? 1 : 0 })
          .execute()
        await record(tx, [entry])
        return toSshKey(await keysOf(tx, row.account_id).where('id', '=', row.id).executeTakeFirstOrThrow())
      })
    },

    /** Deletes a key; when it was the default, the oldest one left takes its place. Returns it; null when there is none. */
    async delete(accountId: string, keyId: string, tell: (key: SshKey) => Entry): Promise<SshKey | null> {
      return db.transaction().execute(async (tx) => {
        const gone = await keysOf(tx, accountId).where('id', '=', keyId).executeTakeFirst()
        if (!gone) return null
        await tx.deleteFrom('ssh_key').where('id', '=', keyId).execute()
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

    /** Stores the code that proves a key, in place of an earlier one. False when there is no such key that is unproven. */
    async offerProof(
      accountId: string,
      keyId: string,
      offer: { code: string; expiresAt: string },
      entry: Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const row = await tx
          .updateTable('ssh_key')
          .set({ proof_code: offer.code, proof_expires_at: offer.expiresAt })
          .where('id', '=', keyId)
          .where('account_id', '=', accountId)
          .where('proven_at', 'is', null)
          .returning('id')
          .executeTakeFirst()
        if (row) await record(tx, [entry])
        return row !== undefined
      })
    },

    /** Takes a code for the proof of a key, once and in time. Returns whose it is now; null when the code is none of this key. */
    async prove(
      fingerprint: string,
      code: string,
      now: string,
      tell: (proven: { id: string; name: string; accountId: string }) => Entry,
    ): Promise<{ accountId: string; name: string; email: string } | null> {
      return db.transaction().execute(async (tx) => {
        const row = await tx
          .updateTable('ssh_key')
          .set({ proven_at: now, proof_code: null, proof_expires_at: null })
          .where('fingerprint', '=', fingerprint)
          .where('proof_code', '=', code)
          .where('proof_expires_at', '>', now)
          .where('account_id', 'in', (e) =>
            e.selectFrom('account').select('id').where('disabled_at', 'is', null),
          )
          .returning(['id', 'name', 'account_id'])
          .executeTakeFirst()
        if (!row) return null
        const account = await tx
          .selectFrom('account')
          .select('email')
          .where('id', '=', row.account_id)
          .executeTakeFirstOrThrow()
        await record(tx, [tell({ id: row.id, name: row.name, accountId: row.account_id })])
        return { accountId: row.account_id, name: row.name, email: account.email }
      })
    },
  }
}
