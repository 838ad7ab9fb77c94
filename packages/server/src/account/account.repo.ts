import type { User } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { AccountTable, MailTokenTable, SessionTable } from '../db/schema.ts'
import { insertAccount, insertSession, verifyAccount } from './account.writes.ts'

export type Purpose = MailTokenTable['purpose']

export interface Account extends User {
  passwordHash: string
  disabled: boolean
  /** When it is deleted for good; null: it is not being deleted. */
  delete_at: string | null
}

const toAccount = (row: AccountTable & { delete_at: string | null }): Account => ({
  id: row.id,
  name: row.name,
  email: row.email,
  email_verified: row.email_verified_at !== null,
  created_at: row.created_at,
  passwordHash: row.password_hash,
  disabled: row.disabled_at !== null,
  delete_at: row.delete_at,
})

/** Says what an account did; the account is known only when its token or session was found. */
type Tell = (account: Pick<User, 'id' | 'name'>) => Entry

export type AccountRepo = ReturnType<typeof makeAccountRepo>

export function makeAccountRepo(db: Db) {
  const accounts = (executor: Db = db) =>
    executor
      .selectFrom('account')
      .leftJoin('account_deletion', 'account_deletion.account_id', 'account.id')
      .selectAll('account')
      .select('account_deletion.delete_at')

  return {
    async byEmail(email: string): Promise<Account | null> {
      const row = await accounts().where('account.email', '=', email).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    async byId(id: string): Promise<Account | null> {
      const row = await accounts().where('account.id', '=', id).executeTakeFirst()
      return row ? toAccount(row) : null
    },

    /** Stores an account with its first verification token. A taken address violates the unique index. */
    async insert(row: AccountTable, token: MailTokenTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await insertAccount(tx, row, entry)
        await tx.insertInto('mail_token').values(token).execute()
      })
    },

    /** Stores a token; an open one of the same purpose is superseded. */
    async replaceToken(token: MailTokenTable, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await tx
          .updateTable('mail_token')
          .set({ superseded_at: token.created_at })
          .where('account_id', '=', token.account_id)
          .where('purpose', '=', token.purpose)
          .where('used_at', 'is', null)
          .where('superseded_at', 'is', null)
          .execute()
        await tx.insertInto('mail_token').values(token).execute()
        await record(tx, [entry])
      })
    },

    async token(
      hash: string,
      purpose: Purpose,
    ): Promise<(MailTokenTable & { email: string; verified: boolean }) | null> {
      const row = await db
        .selectFrom('mail_token')
        .innerJoin('account', 'account.id', 'mail_token.account_id')
        .selectAll('mail_token')
        .select(['account.email', 'account.email_verified_at'])
        .where('token_hash', '=', hash)
        .where('purpose', '=', purpose)
        .executeTakeFirst()
      return row ? { ...row, verified: row.email_verified_at !== null } : null
    },

    /** Uses up a verification token and verifies its account; false when somebody was faster. */
    async verify(hash: string, now: string, tell: Tell): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const accountId = await takeToken(tx, hash, 'verify', now)
        if (!accountId) return false
        await verifyAccount(tx, accountId, now)
        await recordOf(tx, accountId, tell)
        return true
      })
    },

    /**
     * Uses up a reset token: new password, address verified by the link, every session ended. Null when the link
     * does not work any more.
     */
    async resetPassword(
      hash: string,
      passwordHash: string,
      now: string,
      tell: Tell,
    ): Promise<Account | null> {
      return db.transaction().execute(async (tx) => {
        const accountId = await takeToken(tx, hash, 'reset', now)
        if (!accountId) return null
        await tx
          .updateTable('account')
          .set({ password_hash: passwordHash })
          .where('id', '=', accountId)
          .execute()
        await verifyAccount(tx, accountId, now)
        // A new address that somebody else asked for is not taken any more.
        await tx
          .updateTable('mail_token')
          .set({ superseded_at: now })
          .where('account_id', '=', accountId)
          .where('used_at', 'is', null)
          .where('superseded_at', 'is', null)
          .execute()
        await tx.deleteFrom('session').where('account_id', '=', accountId).execute()
        await recordOf(tx, accountId, tell)
        return toAccount(await accounts(tx).where('account.id', '=', accountId).executeTakeFirstOrThrow())
      })
    },

    /**
     * Stores a session if the password is still the one that was verified; else changes nothing and answers false. When
     * `prove` throws, nothing is stored either.
     */
    async insertSession(
      session: SessionTable,
      verifiedHash: string,
      entry: Entry,
      prove?: (tx: Tx) => Promise<void>,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const current = await tx
          .selectFrom('account')
          .select('id')
          .where('id', '=', session.account_id)
          .where('password_hash', '=', verifiedHash)
          .executeTakeFirst()
        if (!current || !(await insertSession(tx, session, entry))) return false
        await prove?.(tx)
        return true
      })
    },

    /** Tells of what changed nothing, such as a sign-in that failed. */
    recordOnly: (entry: Entry): Promise<void> => db.transaction().execute((tx) => record(tx, [entry])),

    async session(hash: string) {
      const row = await db
        .selectFrom('session')
        .innerJoin('account', 'account.id', 'session.account_id')
        .leftJoin('account_deletion', 'account_deletion.account_id', 'account.id')
        .leftJoin('oidc_session', 'oidc_session.token_hash', 'session.token_hash')
        .selectAll('account')
        .select('account_deletion.delete_at')
        .select(['session.remember', 'session.last_used_at', 'session.proven_at', 'session.expires_at'])
        .select('session.created_at as signed_in_at')
        .select(['oidc_session.issuer', 'oidc_session.admin_group'])
        .where('session.token_hash', '=', hash)
        .executeTakeFirst()
      return row
        ? {
            account: toAccount(row),
            remember: row.remember === 1,
            signedInAt: row.signed_in_at,
            lastUsedAt: row.last_used_at,
            provenAt: row.proven_at,
            expiresAt: row.expires_at,
            /** The group of a provider by which it was an administrator's when it began. */
            adminGroup: row.issuer && row.admin_group ? { issuer: row.issuer, name: row.admin_group } : null,
          }
        : null
    },

    /** Addresses of the sessions that an account has, by its email address or its id. */
    async sessionAddresses(whose: string, now: string): Promise<string[]> {
      const rows = await db
        .selectFrom('session')
        .innerJoin('account', 'account.id', 'session.account_id')
        .select('session.ip')
        .distinct()
        .where((e) => e.or([e('account.email', '=', whose), e('account.id', '=', whose)]))
        .where('session.expires_at', '>', now)
        .execute()
      return rows.flatMap(({ ip }) => (ip === null ? [] : [ip]))
    },

    async touchSession(hash: string, lastUsedAt: string, expiresAt: string): Promise<void> {
      await db
        .updateTable('session')
        .set({ last_used_at: lastUsedAt, expires_at: expiresAt })
        .where('token_hash', '=', hash)
        .execute()
    },

    /** Whether there was such a session. */
    async deleteSession(hash: string, tell: Tell): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const session = await tx
          .deleteFrom('session')
          .where('token_hash', '=', hash)
          .returning('account_id')
          .executeTakeFirst()
        if (session) await recordOf(tx, session.account_id, tell)
        return session !== undefined
      })
    },

    async deleteExpired(now: string, tokensBefore: string): Promise<void> {
      await db.deleteFrom('session').where('expires_at', '<', now).execute()
      await db.deleteFrom('mail_token').where('expires_at', '<', tokensBefore).execute()
    },
  }
}

async function takeToken(tx: Tx, hash: string, purpose: Purpose, now: string): Promise<string | null> {
  const taken = await tx
    .updateTable('mail_token')
    .set({ used_at: now })
    .where('token_hash', '=', hash)
    .where('purpose', '=', purpose)
    .where('used_at', 'is', null)
    .where('superseded_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('account_id')
    .executeTakeFirst()
  return taken?.account_id ?? null
}

async function recordOf(tx: Tx, accountId: string, tell: Tell): Promise<void> {
  const account = await tx
    .selectFrom('account')
    .select(['id', 'name'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  await record(tx, [tell(account)])
}
