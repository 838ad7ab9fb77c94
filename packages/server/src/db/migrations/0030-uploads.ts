import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('upload')
    .addColumn('disk_id', 'text', (c) => c.primaryKey().references('disk.id').onDelete('cascade'))
    .addColumn('file_name', 'text', (c) => c.notNull())
    .addColumn('file_bytes', 'bigint', (c) => c.notNull())
    .addColumn('received_bytes', 'bigint', (c) => c.notNull())
    .addColumn('file_mark', 'text')
    .addColumn('file_modified_at', 'text')
    .addColumn('sha256', 'text')
    .addColumn('last_received_at', 'text', (c) => c.notNull())
    .execute()
}
