import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Members in a table of their own, so that whatever asks who is a member leaves a project in the bin out.
  await db.schema
    .createTable('bin_member')
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('since', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('bin_member_key', ['project_id', 'account_id'])
    .execute()
  await db.schema.createIndex('bin_member_account').on('bin_member').column('account_id').execute()
  await db.schema.alterTable('vm').addColumn('power_back', 'text').execute()
  // Few of them, looked for again and again.
  await sql`create index vm_power_back on vm (project_id) where power_back is not null`.execute(db)
  await sql`create index bin_projects on bin (id) where kind = 'project'`.execute(db)
}
