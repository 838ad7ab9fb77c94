import type { SessionInfo, User } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import type { MailTokenTable } from '../db/schema.ts'

/** An account whose address was changed: `before` and now. */
type Moved = Pick<User, 'id' | 'name' | 'email'> & { before: string }

/**
 * A session as its user names it: a part of the hash that it is stored under, by which nobody can look it up but among
 * the sessions of an account.
 */
export const sessionIdOf = (tokenHash: string): string => tokenHash.slice(0, 32)

export type SettingsRepo = ReturnType<typeof makeSettingsRepo>

/** What people change of their own accounts. */
export function makeSettingsRepo(db: Db) {
  return {
    async passwordHash(accountId: string): Promise<string | null> {
      const row = await db
        .selectFrom('account')
        .select('password_hash')
        .where('id', '=', accountId)
        .executeTakeFirst()
      return row?.password_hash ?? null
    },

    /** Answers with the projects that are shown under the name: those the account owns. */
    async rename(accountId: string, name: string, entry: Entry): Promise<string[]> {
      return db.transaction().execute(async (tx) => {
        await tx.updateTable('account').set({ name }).where('id', '=', accountId).execute()
        await record(tx, [entry])
        const owned = await tx
          .selectFrom('project')
          .select('id')
          .where('account_id', '=', accountId)
          .execute()
        return owned.map(({ id }) => id)
      })
    },

    /**
     * Stores a new password if the session that asked is still there: else changes nothing and answers null. Answers with
     * the sessions that ended: all but that one. Mailed links for the old password end too.
     */
    async changePassword(change: {
      accountId: string
      passwordHash: string
      keepSession: string
      now: string
      entry: Entry
    }): Promise<string[] | null> {
      const { accountId, passwordHash, keepSession, now, entry } = change
      return db.transaction().execute(async (tx) => {
        const asking = await tx
          .selectFrom('session')
          .select('token_hash')
          .where('token_hash', '=', keepSession)
          .executeTakeFirst()
        if (!asking) return null
        await tx
          .updateTable('account')
          .set({ password_hash: passwordHash })
          .where('id', '=', accountId)
          .execute()
        await supersedeLinks(tx, accountId, now)
        const ended = await endSessions(tx, accountId, keepSession)
        await record(tx, [entry])
        return ended
      })
    },

    async isTaken(email: string): Promise<boolean> {
      const row = await db.selectFrom('account').select('id').where('email', '=', email).executeTakeFirst()
      return row !== undefined
    },

    /** Stores a link to a new address; an earlier one is superseded. */
    async insertChange(token: MailTokenTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await supersedeLinks(tx, token.account_id, token.created_at, 'change')
        await tx.insertInto('mail_token').values(token).execute()
        await record(tx, [entry])
      })
    },

    /**
     * Uses up a link to a new address and gives it to the account. Answers with the account as it was before, and its new
     * address; `taken` when another account has that meanwhile; null when the link does not work any more.
     */
    async takeChange(
      hash: string,
      now: string,
      tell: (account: Moved) => Entry,
    ): Promise<Moved | 'taken' | null> {
      return db
        .transaction()
        .execute(async (tx) => {
          const link = await tx
            .updateTable('mail_token')
            .set({ used_at: now })
            .where('token_hash', '=', hash)
            .where('purpose', '=', 'change')
            .where('used_at', 'is', null)
            .where('superseded_at', 'is', null)
            .where('expires_at', '>', now)
            .returning(['account_id', 'email'])
            .executeTakeFirst()
          if (!link?.email) return null
          const { id, name, email } = await tx
            .selectFrom('account')
            .select(['id', 'name', 'email'])
            .where('id', '=', link.account_id)
            .executeTakeFirstOrThrow()
          // Who reads mails to the old address must not reset the password any more.
          await supersedeLinks(tx, id, now)
          await tx
            .updateTable('account')
            .set({ email: link.email, email_verified_at: now })
            .where('id', '=', id)
            .execute()
          const moved = { id, name, before: email, email: link.email }
          await record(tx, [tell(moved)])
          return moved
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error)) return 'taken' as const
          throw error
        })
    },

    /** Those that have not expired, the one used last first. */
    async sessions(accountId: string, current: string, now: string): Promise<SessionInfo[]> {
      const rows = await db
        .selectFrom('session')
        .selectAll()
        .where('account_id', '=', accountId)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('token_hash')
        .execute()
      return rows.map(({ token_hash, user_agent, ip, created_at, last_used_at }) => ({
        id: sessionIdOf(token_hash),
        current: token_hash === current,
        user_agent,
        ip,
        created_at,
        last_used_at,
      }))
    },

    /** Ends a session of the account; answers with what it was stored under, or null when there is none. */
    async endSession(accountId: string, id: string, entry: Entry): Promise<string | null> {
      return db.transaction().execute(async (tx) => {
        const rows = await tx
          .selectFrom('session')
          .select('token_hash')
          .where('account_id', '=', accountId)
          .execute()
        const found = rows.find(({ token_hash }) => sessionIdOf(token_hash) === id)
        if (!found) return null
        await tx.deleteFrom('session').where('token_hash', '=', found.token_hash).execute()
        await record(tx, [entry])
        return found.token_hash
      })
    },

    /** Ends all sessions of the account but one; answers with what they were stored under. */
    async endOtherSessions(accountId: string, keep: string, entry: Entry): Promise<string[]> {
      return db.transaction().execute(async (tx) => {
        const ended = await endSessions(tx, accountId, keep)
        await record(tx, [entry])
        return ended
      })
    },
  }
}

async function supersedeLinks(
  tx: Tx,
  accountId: string,
  now: string,
  purpose?: MailTokenTable['purpose'],
): Promise<void> {
  let open = tx
    .updateTable('mail_token')
    .set({ superseded_at: now })
    .where('account_id', '=', accountId)
    .where('used_at', 'is', null)
    .where('superseded_at', 'is', null)
  if (purpose) open = open.where('purpose', '=', purpose)
  await open.execute()
}

async function endSessions(tx: Tx, accountId: string, keep: string): Promise<string[]> {
  const ended = await tx
    .deleteFrom('session')
    .where('account_id', '=', accountId)
    .where('token_hash', '!=', keep)
    .returning('token_hash')
    .execute()
  return ended.map(({ token_hash }) => token_hash)
}
