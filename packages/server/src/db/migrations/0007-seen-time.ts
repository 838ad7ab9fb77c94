import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('seen_time')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('trusted_ms', 'bigint', (c) => c.notNull())
    .addColumn('watched_ms', 'bigint', (c) => c.notNull())
    .execute()
}
