import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('bin')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('deleted_at', 'text', (c) => c.notNull())
    .addColumn('deleted_by', 'text', (c) => c.references('account.id').onDelete('set null'))
    .addColumn('delete_at', 'text', (c) => c.notNull())
    .addColumn('power', 'text')
    .addColumn('attached', 'text', (c) => c.notNull())
    .addColumn('ended_shares', 'integer', (c) => c.notNull())
    .execute()
  for (const column of ['project_id', 'delete_at', 'deleted_by'])
    await db.schema.createIndex(`bin_${column}`).on('bin').column(column).execute()
  // What the bin does not keep any more is deleted for good, and never stays where nobody sees it.
  for (const table of ['vm', 'disk', 'vm_snapshot', 'disk_snapshot']) {
    await sql`alter table ${sql.table(table)} add column bin_id text
      references bin (id) on delete set null deferrable initially deferred`.execute(db)
    await db.schema.createIndex(`${table}_bin`).on(table).column('bin_id').execute()
  }
}
