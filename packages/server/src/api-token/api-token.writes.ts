/** What other features write into the table of API tokens, each within a transaction of theirs. */
import type { Tx } from '../db/open.ts'

/** Revokes all tokens of an account. */
export async function deleteApiTokensOf(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('api_token').where('account_id', '=', accountId).execute()
}
