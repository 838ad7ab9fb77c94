/**
 * Keys that clients send with the creation of an object, so that a request that is sent twice makes one object. The
 * row of a key is written in the transaction that writes the object: neither is ever stored without the other.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db, Tx } from './open.ts'
import type { IdempotencyKeyTable } from './schema.ts'

/** A request with a key. */
export type KeyedRequest = Pick<IdempotencyKeyTable, 'account_id' | 'endpoint' | 'key' | 'request_hash'>

/** The request that is being handled. Passing it through every service would make it part of all their signatures. */
const underWay = new AsyncLocalStorage<KeyedRequest>()

/** Ties the key of the request under way to the object it creates; part of the transaction that stores the object. */
export async function keepKey(
  tx: Tx,
  created: { by: string | null; endpoint: string; id: string; at: string },
): Promise<void> {
  const request = underWay.getStore()
  // Work that was started by a request goes on within its context; it creates nothing by that name for that account.
  if (request?.endpoint !== created.endpoint || request.account_id !== created.by) return
  const row = { ...request, object_id: created.id, answer: null, created_at: created.at }
  await tx.insertInto('idempotency_key').values(row).execute()
}

export type IdempotencyKeys = ReturnType<typeof makeIdempotencyKeys>

export function makeIdempotencyKeys(db: Db) {
  return {
    /** Handles a request; an object that it creates is tied to its key. */
    during: <T>(request: KeyedRequest, handle: () => Promise<T>): Promise<T> => underWay.run(request, handle),

    async find({ account_id, endpoint, key }: KeyedRequest): Promise<IdempotencyKeyTable | null> {
      const row = await db
        .selectFrom('idempotency_key')
        .selectAll()
        .where('account_id', '=', account_id)
        .where('endpoint', '=', endpoint)
        .where('key', '=', key)
        .executeTakeFirst()
      return row ?? null
    },

    async storeAnswer({ account_id, endpoint, key }: KeyedRequest, answer: string): Promise<void> {
      await db
        .updateTable('idempotency_key')
        .set({ answer })
        .where('account_id', '=', account_id)
        .where('endpoint', '=', endpoint)
        .where('key', '=', key)
        .execute()
    },

    /** Deletes keys that were used before a time, ISO 8601. */
    async deleteBefore(time: string): Promise<void> {
      await db.deleteFrom('idempotency_key').where('created_at', '<', time).execute()
    },
  }
}
