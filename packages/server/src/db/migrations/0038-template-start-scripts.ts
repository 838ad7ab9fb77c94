import type { Kysely } from 'kysely'

/** Not a column of the template: lists read those, and a script is large. No reference: it outlives a stay in the bin. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('template_start_script')
    .addColumn('template_id', 'text', (c) => c.primaryKey())
    .addColumn('script', 'text', (c) => c.notNull())
    .execute()
}
