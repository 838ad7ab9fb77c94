/**
 * Keys that clients send with the creation of an object, so that a request that is sent twice makes one object. The
 * row of a key is written in the transaction that writes the object: neither is ever stored without the other.
 */
import { type Once, once } from './once.ts'
import type { Db } from './open.ts'
import type { IdempotencyKeyTable } from './schema.ts'

/** A request with a key. */
export type KeyedRequest = Pick<IdempotencyKeyTable, 'account_id' | 'endpoint' | 'key' | 'request_hash'>

export type IdempotencyKeys = ReturnType<typeof makeIdempotencyKeys>

export function makeIdempotencyKeys(db: Db) {
  return {
    /** Handles a request; an object that it creates is tied to its key. */
    during<T>(request: KeyedRequest, handle: () => Promise<T>): Promise<T> {
      const { account_id, endpoint } = request
      const call: Once = {
        account_id,
        endpoint,
        async keep(tx, { id, at }) {
          const row = { ...request, object_id: id, answer: null, created_at: at }
          await tx.insertInto('idempotency_key').values(row).execute()
        },
      }
      return once(call, handle)
    },

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
