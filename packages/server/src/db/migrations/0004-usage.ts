import type { Kysely } from 'kysely'

/** What VMs used, one row for every five minutes of the last day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_sample')
    .addColumn('vm_id', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('group_id', 'text')
    .addColumn('processors', 'integer', (c) => c.notNull())
    .addColumn('cpu', 'real')
    .addColumn('memory_mb', 'real')
    .addColumn('disk_read', 'real')
    .addColumn('disk_write', 'real')
    .addColumn('net_in', 'real')
    .addColumn('net_out', 'real')
    .addPrimaryKeyConstraint('usage_sample_key', ['vm_id', 'at'])
    .execute()
  await db.schema
    .createIndex('usage_sample_project')
    .on('usage_sample')
    .columns(['project_id', 'at'])
    .execute()
  await db.schema.createIndex('usage_sample_at').on('usage_sample').column('at').execute()
}
