/** What others write into the table of accounts, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Marks the address of an account as verified at `now` (ISO 8601), unless it is already. */
export async function verifyAccount(tx: Tx, accountId: string, now: string): Promise<void> {
  await tx
    .updateTable('account')
    .set({ email_verified_at: now })
    .where('id', '=', accountId)
    .where('email_verified_at', 'is', null)
    .execute()
}

/** Ends all sessions of an account. */
export async function endSessionsOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('session').where('account_id', '=', accountId).execute()
}

/** Deletes an account with all that is stored of it; the caller has seen to it that it owns no project. */
export async function deleteAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', accountId).execute()
}
