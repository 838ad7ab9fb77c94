import { endSessionsOf } from '../account/account.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { TotpTable } from '../db/schema.ts'

export type TotpRepo = ReturnType<typeof makeTotpRepo>

export function makeTotpRepo(db: Db) {
  return {
    async find(accountId: string): Promise<TotpTable | null> {
      const row = await db
        .selectFrom('totp')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirst()
      return row ?? null
    },

    async recoveryCodesLeft(accountId: string): Promise<number> {
      const { count } = await db
        .selectFrom('recovery_code')
        .select((e) => e.fn.countAll<number | string>().as('count'))
        .where('account_id', '=', accountId)
        .where('used_at', 'is', null)
        .executeTakeFirstOrThrow()
      return Number(count)
    },

    /** Stores a secret that counts once it is confirmed, in place of an earlier one; false when one counts already. */
    async begin(row: TotpTable, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        await tx
          .deleteFrom('totp')
          .where('account_id', '=', row.account_id)
          .where('confirmed_at', 'is', null)
          .execute()
        const stored = await tx
          .insertInto('totp')
          .values(row)
          .onConflict((conflict) => conflict.column('account_id').doNothing())
          .returning('account_id')
          .executeTakeFirst()
        if (stored) await record(tx, [entry])
        return stored !== undefined
      })
    },

    /** Makes a secret count, if it is still this one; false when it was replaced or counts already. */
    async confirm(
      found: Pick<TotpTable, 'account_id' | 'secret'>,
      step: number,
      now: string,
      codeHashes: readonly string[],
      entry: Entry,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const confirmed = await tx
          .updateTable('totp')
          .set({ confirmed_at: now, last_step: step })
          .where('account_id', '=', found.account_id)
          .where('secret', '=', found.secret)
          .where('confirmed_at', 'is', null)
          .returning('account_id')
          .executeTakeFirst()
        if (!confirmed) return false
        await replaceCodes(tx, found.account_id, codeHashes)
        await record(tx, [entry])
        return true
      })
    },

    /** Whether there was one that counted; one that did not goes too. */
    async remove(accountId: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute((tx) => removeIn(tx, accountId, entry))
    },

    /** As `remove`; all sessions of the account end with it. */
    async removeWithSessions(accountId: string, entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        if (!(await removeIn(tx, accountId, entry))) return false
        await endSessionsOf(tx, accountId)
        return true
      })
    },

    /** False, and nothing changes, when no secret counts. */
    async renewCodes(accountId: string, codeHashes: readonly string[], entry: Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const counts = await tx
          .selectFrom('totp')
          .select('account_id')
          .where('account_id', '=', accountId)
          .where('confirmed_at', 'is not', null)
          .executeTakeFirst()
        if (!counts) return false
        await replaceCodes(tx, accountId, codeHashes)
        await record(tx, [entry])
        return true
      })
    },

    /** Notes that a code was accepted; false when one of this step or a later one was before. */
    async useStep(tx: Tx, accountId: string, step: number): Promise<boolean> {
      const used = await tx
        .updateTable('totp')
        .set({ last_step: step })
        .where('account_id', '=', accountId)
        .where('confirmed_at', 'is not', null)
        .where('last_step', '<', step)
        .returning('account_id')
        .executeTakeFirst()
      return used !== undefined
    },

    async hasRecoveryCode(accountId: string, codeHash: string): Promise<boolean> {
      const found = await db
        .selectFrom('recovery_code')
        .select('account_id')
        .where('account_id', '=', accountId)
        .where('code_hash', '=', codeHash)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      return found !== undefined
    },

    /** Uses a recovery code up; false when it was used before. */
    async useRecoveryCode(tx: Tx, accountId: string, codeHash: string, now: string): Promise<boolean> {
      const used = await tx
        .updateTable('recovery_code')
        .set({ used_at: now })
        .where('account_id', '=', accountId)
        .where('code_hash', '=', codeHash)
        .where('used_at', 'is', null)
        .returning('account_id')
        .executeTakeFirst()
      return used !== undefined
    },
  }
}

async function removeIn(tx: Tx, accountId: string, entry: Entry): Promise<boolean> {
  const gone = await tx
    .deleteFrom('totp')
    .where('account_id', '=', accountId)
    .returning('confirmed_at')
    .executeTakeFirst()
  if (!gone?.confirmed_at) return false
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
  await record(tx, [entry])
  return true
}

async function replaceCodes(tx: Tx, accountId: string, codeHashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_code').where('account_id', '=', accountId).execute()
  await tx
    .insertInto('recovery_code')
    .values(codeHashes.map((code_hash) => ({ account_id: accountId, code_hash, used_at: null })))
    .execute()
}
