import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('batch')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.references('account.id').onDelete('set null'))
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('ended_at', 'text')
    .execute()
  await db.schema.createIndex('batch_project').on('batch').columns(['project_id', 'id']).execute()
  await db.schema.createIndex('batch_ended').on('batch').columns(['ended_at']).execute()
  await db.schema.createIndex('batch_account').on('batch').columns(['account_id']).execute()
  await db.schema
    .createTable('batch_item')
    .addColumn('batch_id', 'text', (c) => c.notNull().references('batch.id').onDelete('cascade'))
    .addColumn('place', 'integer', (c) => c.notNull())
    .addColumn('object_id', 'text', (c) => c.notNull())
    .addColumn('object_name', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('message', 'text')
    .addColumn('created_id', 'text')
    .addPrimaryKeyConstraint('batch_item_primary', ['batch_id', 'place'])
    .execute()
  // How many there are in each state, and the next that waits.
  await db.schema
    .createIndex('batch_item_state')
    .on('batch_item')
    .columns(['batch_id', 'state', 'place'])
    .execute()
}
