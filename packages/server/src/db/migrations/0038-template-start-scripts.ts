import { type Kysely, sql } from 'kysely'

/** The first not a column of the template: lists read those, and a script is large. No reference: it outlives a stay in the bin. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('template_start_script')
    .addColumn('template_id', 'text', (c) => c.primaryKey())
    .addColumn('script', 'text', (c) => c.notNull())
    .execute()
  // Each revision of a group can have another one. A primary key cannot be changed in SQLite.
  await db.schema
    .createTable('vm_group_start_script_new')
    .addColumn('group_id', 'text', (c) => c.notNull().references('vm_group.id').onDelete('cascade'))
    .addColumn('revision', 'integer', (c) => c.notNull())
    .addColumn('script', 'text')
    .addPrimaryKeyConstraint('vm_group_start_script_pk', ['group_id', 'revision'])
    .execute()
  await sql`insert into vm_group_start_script_new select group_id, 1, script from vm_group_start_script`.execute(
    db,
  )
  await db.schema.dropTable('vm_group_start_script').execute()
  await db.schema.alterTable('vm_group_start_script_new').renameTo('vm_group_start_script').execute()
}
