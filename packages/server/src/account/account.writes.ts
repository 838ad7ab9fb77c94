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

/** Notes when the user of a session confirmed who they are; a session that has ended stays so. */
export async function proveSession(tx: Tx, sessionId: string, now: string): Promise<void> {
  await tx.updateTable('session').set({ proven_at: now }).where('token_hash', '=', sessionId).execute()
}
