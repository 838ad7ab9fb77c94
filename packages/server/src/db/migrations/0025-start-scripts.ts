import type { Kysely } from 'kysely'

/** Not columns of the VM: lists and events read those, and a script is large. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('vm_start_script')
    .addColumn('vm_id', 'text', (c) => c.primaryKey().references('vm.id').onDelete('cascade'))
    .addColumn('script', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('exit_code', 'integer')
    .addColumn('finished_at', 'text')
    .addColumn('output', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('vm_group_start_script')
    .addColumn('group_id', 'text', (c) => c.primaryKey().references('vm_group.id').onDelete('cascade'))
    .addColumn('script', 'text', (c) => c.notNull())
    .execute()
}
