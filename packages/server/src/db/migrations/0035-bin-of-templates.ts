import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // In a table of their own, so that whatever asks for templates leaves those in the bin out. They belong to no project.
  await db.schema
    .createTable('template_bin')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('image_url', 'text')
    .addColumn('image_id', 'text', (c) => c.notNull())
    .addColumn('default_cpu', 'integer', (c) => c.notNull())
    .addColumn('default_memory_mb', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('retired_at', 'text')
    .addColumn('deleted_at', 'text', (c) => c.notNull())
    .addColumn('deleted_by', 'text', (c) => c.references('account.id').onDelete('set null'))
    .addColumn('delete_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('template_bin_deleted_by').on('template_bin').column('deleted_by').execute()
}
