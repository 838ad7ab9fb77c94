import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // One for each project. It ends with the membership of the one who is asked, whatever ends that.
  await db.schema
    .createTable('hand_over')
    .addColumn('project_id', 'text', (c) => c.primaryKey().references('project.id').onDelete('cascade'))
    .addColumn('from_id', 'text', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('to_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addForeignKeyConstraint(
      'hand_over_member',
      ['project_id', 'to_id'],
      'project_member',
      ['project_id', 'account_id'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
  for (const column of ['from_id', 'to_id'])
    await db.schema.createIndex(`hand_over_${column}`).on('hand_over').column(column).execute()
}
