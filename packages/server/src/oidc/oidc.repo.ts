import type { User } from '@slipway/contract'
import { endSessions } from '../account/account.writes.ts'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import type { OidcVisitTable } from '../db/schema.ts'

type Account = Pick<User, 'id' | 'name'>

export type OidcRepo = ReturnType<typeof makeOidcRepo>

/** Visits to providers, and what providers say of their end. */
export function makeOidcRepo(db: Db) {
  return {
    insertVisit: async (row: OidcVisitTable): Promise<void> => {
      await db.insertInto('oidc_visit').values(row).execute()
    },

    /** Takes a visit of this browser, which is over then; null when there is none. */
    async takeVisit(stateHash: string, browserHash: string, now: string): Promise<OidcVisitTable | null> {
      // Anybody can ask with a made-up one: that must not cost a write.
      const found = await db
        .selectFrom('oidc_visit')
        .select('state_hash')
        .where('state_hash', '=', stateHash)
        .where('browser_hash', '=', browserHash)
        .executeTakeFirst()
      if (!found) return null
      const taken = await db
        .deleteFrom('oidc_visit')
        .where('state_hash', '=', stateHash)
        .where('browser_hash', '=', browserHash)
        .returningAll()
        .executeTakeFirst()
      return taken && taken.expires_at > now ? taken : null
    },

    /**
     * Takes a logout token and ends the sessions that it is about; answers with what they were stored under. Null for a token
     * that was taken before.
     */
    async endSessions(
      token: { issuer: string; jti: string; sid: string | null; subject: string | null },
      now: string,
      tell: (account: Account) => Entry,
    ): Promise<string[] | null> {
      const { issuer, jti, sid, subject } = token
      return db
        .transaction()
        .execute(async (tx) => {
          await tx.insertInto('oidc_logout').values({ issuer, jti, sid, received_at: now }).execute()
          let query = tx
            .selectFrom('oidc_session')
            .innerJoin('session', 'session.token_hash', 'oidc_session.token_hash')
            .innerJoin('account', 'account.id', 'session.account_id')
            .select(['session.token_hash', 'account.id', 'account.name'])
            .where('issuer', '=', issuer)
          if (sid !== null) query = query.where('sid', '=', sid)
          if (subject !== null) query = query.where('subject', '=', subject)
          const ended = await query.execute()
          const ids = ended.map(({ token_hash }) => token_hash)
          await endSessions(tx, ids)
          const people = new Map(ended.map(({ id, name }) => [id, { id, name }]))
          await record(tx, [...people.values()].map(tell))
          return ids
        })
        .catch((error: unknown) => {
          if (isUniqueViolation(error)) return null
          throw error
        })
    },

    async deleteExpired(now: string, logoutsBefore: string): Promise<void> {
      await db.deleteFrom('oidc_visit').where('expires_at', '<', now).execute()
      await db.deleteFrom('oidc_logout').where('received_at', '<', logoutsBefore).execute()
    },
  }
}
