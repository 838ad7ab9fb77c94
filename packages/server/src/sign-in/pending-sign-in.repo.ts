import type { Db, Tx } from '../db/open.ts'
import type { PendingSignInTable } from '../db/schema.ts'

export type PendingSignInRepo = ReturnType<typeof makePendingSignInRepo>

/** Sign-ins whose password was right, and that wait for a code. */
export function makePendingSignInRepo(db: Db) {
  return {
    async insert(row: PendingSignInTable): Promise<void> {
      await db.insertInto('pending_sign_in').values(row).execute()
    },

    /** One that has not expired. */
    async find(tokenHash: string, now: string): Promise<PendingSignInTable | null> {
      const row = await db
        .selectFrom('pending_sign_in')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row ?? null
    },

    /** Counts a try before it is known how it ends; false when there were `most` already. */
    async countTry(tokenHash: string, most: number): Promise<boolean> {
      const counted = await db
        .updateTable('pending_sign_in')
        .set((e) => ({ tries: e('tries', '+', 1) }))
        .where('token_hash', '=', tokenHash)
        .where('tries', '<', most)
        .returning('tries')
        .executeTakeFirst()
      return counted !== undefined
    },

    async deleteExpired(now: string): Promise<void> {
      await db.deleteFrom('pending_sign_in').where('expires_at', '<', now).execute()
    },

    /** Uses it up; false when somebody was faster. */
    async take(tx: Tx, tokenHash: string): Promise<boolean> {
      const taken = await tx
        .deleteFrom('pending_sign_in')
        .where('token_hash', '=', tokenHash)
        .returning('account_id')
        .executeTakeFirst()
      return taken !== undefined
    },
  }
}
