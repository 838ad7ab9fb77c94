import { type Passkey, passkeyLimit } from '@slipway/contract'
import { z } from 'zod'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import type { PasskeyChallengeTable, PasskeyTable } from '../db/schema.ts'
import type { Key } from './passkey.ceremony.ts'

const Transports = z.array(z.string())

/** A passkey with its key, and whose it is. */
export interface StoredPasskey extends Passkey {
  accountId: string
  key: Key
}

const toPasskey = (row: PasskeyTable): StoredPasskey => ({
  id: row.id,
  name: row.name,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
  accountId: row.account_id,
  key: {
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: row.counter,
    transports: Transports.parse(JSON.parse(row.transports)),
  },
})

export type PasskeyRepo = ReturnType<typeof makePasskeyRepo>

export function makePasskeyRepo(db: Db) {
  return {
    /** Oldest first. */
    async list(accountId: string): Promise<StoredPasskey[]> {
      const rows = await db
        .selectFrom('passkey')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      return rows.map(toPasskey)
    },

    async byCredential(credentialId: string): Promise<StoredPasskey | null> {
      const row = await db
        .selectFrom('passkey')
        .selectAll()
        .where('credential_id', '=', credentialId)
        .executeTakeFirst()
      return row ? toPasskey(row) : null
    },

    /** Stores one; nothing is stored when the account has as many as it can have, or somebody has this one already. */
    async insert(row: PasskeyTable, entry: Entry): Promise<'stored' | 'too many' | 'known'> {
      return db
        .transaction()
        .execute(async (tx) => {
          const { count } = await tx
            .selectFrom('passkey')
            .select((e) => e.fn.countAll<number | string>().as('count'))
            .where('account_id', '=', row.account_id)
            .executeTakeFirstOrThrow()
          if (Number(count) >= passkeyLimit) return 'too many' as const
          await tx.insertInto('passkey').values(row).execute()
          await record(tx, [entry])
          return 'stored' as const
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error)) return 'known' as const
          throw error
        })
    },

    /** Null when the account has no such passkey. */
    async rename(
      accountId: string,
      id: string,
      name: string,
      tell: (before: Passkey) => Entry,
    ): Promise<StoredPasskey | null> {
      return db.transaction().execute(async (tx) => {
        const before = await tx
          .selectFrom('passkey')
          .selectAll()
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .executeTakeFirst()
        if (!before) return null
        await tx.updateTable('passkey').set({ name }).where('id', '=', id).execute()
        await record(tx, [tell(toPasskey(before))])
        return toPasskey({ ...before, name })
      })
    },

    /** Removes one, unless `allowed` throws at what is left. Null when the account has no such passkey. */
    async delete(
      accountId: string,
      id: string,
      allowed: (tx: Tx, accountId: string) => Promise<void>,
      tell: (gone: Passkey) => Entry,
    ): Promise<Passkey | null> {
      return db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('passkey')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .returningAll()
          .executeTakeFirst()
        if (!gone) return null
        await allowed(tx, accountId)
        await record(tx, [tell(toPasskey(gone))])
        return toPasskey(gone)
      })
    },

    /** Notes a use; false when it was removed, or used by somebody else at the same time. */
    async use(tx: Tx, id: string, before: number, counter: number, now: string): Promise<boolean> {
      const used = await tx
        .updateTable('passkey')
        .set({ counter, last_used_at: now })
        .where('id', '=', id)
        .where('counter', '=', before)
        .returning('id')
        .executeTakeFirst()
      return used !== undefined
    },

    async insertChallenge(row: PasskeyChallengeTable): Promise<void> {
      await db.insertInto('passkey_challenge').values(row).execute()
    },

    /** Uses a challenge up; false when there is none for this, or it has expired. */
    async takeChallenge(wanted: Omit<PasskeyChallengeTable, 'expires_at'>, now: string): Promise<boolean> {
      const { challenge, purpose, session_id } = wanted
      const taken = await db
        .deleteFrom('passkey_challenge')
        .where('challenge', '=', challenge)
        .where('purpose', '=', purpose)
        .where('session_id', session_id === null ? 'is' : '=', session_id)
        .where('expires_at', '>', now)
        .returning('challenge')
        .executeTakeFirst()
      return taken !== undefined
    },

    async deleteExpired(now: string): Promise<void> {
      await db.deleteFrom('passkey_challenge').where('expires_at', '<', now).execute()
    },
  }
}
