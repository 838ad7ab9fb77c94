import { type ApiToken, apiTokenLimit } from '@slipway/contract'
import { z } from 'zod'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { ApiTokenTable } from '../db/schema.ts'

const ProjectIds = z.array(z.string())

const toApiToken = (row: Omit<ApiTokenTable, 'token_hash' | 'account_id'>): ApiToken => ({
  id: row.id,
  name: row.name,
  access: row.access,
  project_ids: row.project_ids === null ? null : ProjectIds.parse(JSON.parse(row.project_ids)),
  created_at: row.created_at,
  expires_at: row.expires_at,
  last_used_at: row.last_used_at,
})

export type ApiTokenRepo = ReturnType<typeof makeApiTokenRepo>

export function makeApiTokenRepo(db: Db) {
  return {
    /** By age, those that have expired too. */
    async list(accountId: string): Promise<ApiToken[]> {
      const rows = await db
        .selectFrom('api_token')
        .selectAll()
        .where('account_id', '=', accountId)
        .orderBy('id')
        .execute()
      return rows.map(toApiToken)
    },

    async byHash(hash: string): Promise<(ApiToken & { accountId: string }) | null> {
      const row = await db
        .selectFrom('api_token')
        .selectAll()
        .where('token_hash', '=', hash)
        .executeTakeFirst()
      return row ? { ...toApiToken(row), accountId: row.account_id } : null
    },

    /** Stores a token; null, and nothing is stored, when the account has as many as it can have. */
    async insert(row: ApiTokenTable, entry: Entry): Promise<ApiToken | null> {
      return db.transaction().execute(async (tx) => {
        const { count } = await tx
          .selectFrom('api_token')
          .select((e) => e.fn.countAll<number | string>().as('count'))
          .where('account_id', '=', row.account_id)
          .executeTakeFirstOrThrow()
        if (Number(count) >= apiTokenLimit) return null
        await tx.insertInto('api_token').values(row).execute()
        await record(tx, [entry])
        return toApiToken(row)
      })
    },

    /** Notes a use, unless one was noted after `before`. */
    async touch(id: string, now: string, before: string): Promise<void> {
      await db
        .updateTable('api_token')
        .set({ last_used_at: now })
        .where('id', '=', id)
        .where((e) => e.or([e('last_used_at', 'is', null), e('last_used_at', '<', before)]))
        .execute()
    },

    /** Whether the account had such a token. */
    async delete(accountId: string, id: string, tell: (token: ApiToken) => Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('api_token')
          .where('id', '=', id)
          .where('account_id', '=', accountId)
          .returningAll()
          .executeTakeFirst()
        if (gone) await record(tx, [tell(toApiToken(gone))])
        return gone !== undefined
      })
    },

    async deleteExpired(before: string): Promise<void> {
      await db.deleteFrom('api_token').where('expires_at', '<', before).execute()
    },
  }
}
