import { type Kysely, sql } from 'kysely'

const amounts = sql.raw('memory_mb, disk_read, disk_write, net_in, net_out')
const sums = sql.raw(
  ['memory_mb', 'disk_read', 'disk_write', 'net_in', 'net_out']
    .map((name) => `round(sum(${name}))`)
    .join(', '),
)

export async function up(db: Kysely<unknown>): Promise<void> {
  // The row is written with the object, its answer a moment later.
  await db.schema
    .createTable('idempotency_key')
    .addColumn('account_id', 'text', (c) => c.notNull().references('account.id').onDelete('cascade'))
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('key', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('object_id', 'text', (c) => c.notNull())
    .addColumn('answer', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('idempotency_key_key', ['account_id', 'endpoint', 'key'])
    .execute()
  await db.schema.createIndex('idempotency_key_age').on('idempotency_key').column('created_at').execute()

  // A sample belongs to a VM, a group or a project, each summed up when it is taken: a request reads 288 rows, not
  // those of every VM.
  await db.schema.alterTable('usage_sample').renameTo('usage_sample_of_vm').execute()
  await db.schema.dropIndex('usage_sample_at').execute()
  await db.schema
    .createTable('usage_sample')
    .addColumn('owner_id', 'text', (c) => c.notNull())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('running', 'integer', (c) => c.notNull())
    .addColumn('cpu', 'real')
    .addColumn('memory_mb', 'real')
    .addColumn('disk_read', 'real')
    .addColumn('disk_write', 'real')
    .addColumn('net_in', 'real')
    .addColumn('net_out', 'real')
    .addPrimaryKeyConstraint('usage_sample_owner', ['owner_id', 'at'])
    .execute()
  await db.schema.createIndex('usage_sample_at').on('usage_sample').column('at').execute()
  for (const owner of ['vm_id', 'group_id', 'project_id'].map((name) => sql.ref(name))) {
    await sql`
      insert into usage_sample (owner_id, at, running, cpu, ${amounts})
      select ${owner}, at, count(*),
        round(cast(sum(cpu * processors) / sum(case when cpu is null then null else processors end) as numeric), 1), ${sums}
      from usage_sample_of_vm where ${owner} is not null group by ${owner}, at`.execute(db)
  }
  await db.schema.dropTable('usage_sample_of_vm').execute()
}
