import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Only what an operator set for an account: everything else follows the settings of the server.
  await db.schema
    .createTable('quota')
    .addColumn('account_id', 'text', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('resource', 'text', (c) => c.notNull())
    .addColumn('amount', 'bigint')
    .addPrimaryKeyConstraint('quota_key', ['account_id', 'resource'])
    .execute()
  // Not offered any more: what was created from it goes on.
  await db.schema.alterTable('template').addColumn('retired_at', 'text').execute()
  // What the snapshots of a project take is summed up with each one that is requested.
  await db.schema
    .createIndex('disk_snapshot_project')
    .on('disk_snapshot')
    .columns(['project_id', 'id'])
    .execute()
}
