/** What other features write into the activity log beside entries of their own, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Deletes the log of an account; in the logs of projects that others own its name is not given any more. */
export async function forgetAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('activity').where('account_id', '=', accountId).execute()
  await tx
    .updateTable('activity')
    .set({ actor_name: 'Deleted account' })
    .where('actor_id', '=', accountId)
    .execute()
}
