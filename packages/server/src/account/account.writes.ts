/** What others write into the table of accounts, each within a transaction of theirs. */
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Tx } from '../db/open.ts'
import type { AccountTable, SessionTable } from '../db/schema.ts'

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

/** Disables an account, which ends its sessions, or enables it with null. `disabledAt`: ISO 8601. */
export async function setDisabled(tx: Tx, accountId: string, disabledAt: string | null): Promise<void> {
  await tx.updateTable('account').set({ disabled_at: disabledAt }).where('id', '=', accountId).execute()
  if (disabledAt !== null) await endSessionsOf(tx, accountId)
}

/** Deletes an account with all that is stored of it; the caller has seen to it that it owns no project. */
export async function deleteAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.deleteFrom('account').where('id', '=', accountId).execute()
}

/** Stores an account. A taken address violates the unique index. */
export async function insertAccount(tx: Tx, row: AccountTable, entry: Entry): Promise<void> {
  await tx.insertInto('account').values(row).execute()
  await record(tx, [entry])
}

/** Stores a session of an account that is not disabled; else changes nothing and answers false. */
export async function insertSession(tx: Tx, session: SessionTable, entry: Entry): Promise<boolean> {
  const account = await tx
    .selectFrom('account')
    .select('id')
    .where('id', '=', session.account_id)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!account) return false
  await tx.insertInto('session').values(session).execute()
  await record(tx, [entry])
  return true
}

/** Ends sessions, by what they are stored under. */
export async function endSessions(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('session').where('token_hash', 'in', ids).execute()
}

/** Notes when the user of a session confirmed who they are; a session that has ended stays so. */
export async function proveSession(tx: Tx, sessionId: string, now: string): Promise<void> {
  await tx.updateTable('session').set({ proven_at: now }).where('token_hash', '=', sessionId).execute()
}
