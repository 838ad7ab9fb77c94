import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Pools and sets are one thing here: a wish for a number of alike VMs. A set's three sizes are its replicas.
  await db.schema
    .createTable('vm_group')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('template_id', 'text', (c) => c.notNull())
    .addColumn('template_name', 'text', (c) => c.notNull())
    .addColumn('image_id', 'text', (c) => c.notNull())
    .addColumn('ssh_key_id', 'text', (c) => c.notNull())
    .addColumn('ssh_key_name', 'text', (c) => c.notNull())
    .addColumn('ssh_public_key', 'text', (c) => c.notNull())
    .addColumn('cpu', 'integer', (c) => c.notNull())
    .addColumn('memory_mb', 'integer', (c) => c.notNull())
    .addColumn('persistent', 'integer', (c) => c.notNull())
    .addColumn('disks', 'text', (c) => c.notNull())
    .addColumn('min_size', 'integer', (c) => c.notNull())
    .addColumn('desired_size', 'integer', (c) => c.notNull())
    .addColumn('max_size', 'integer', (c) => c.notNull())
    .addColumn('auto_scaling', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_since', 'text', (c) => c.notNull())
    .addColumn('status_message', 'text')
    .addColumn('failures', 'integer', (c) => c.notNull())
    .addColumn('failed_at', 'text')
    .addColumn('failed_why', 'text')
    .addColumn('sized_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    // State machine SM-4: it holds in every stored row.
    .addCheckConstraint(
      'vm_group_sizes',
      sql`0 <= min_size and 1 <= desired_size and min_size <= desired_size and desired_size <= max_size`,
    )
    .execute()
  await db.schema.createIndex('vm_group_project').on('vm_group').columns(['project_id', 'id']).execute()

  await db.schema
    .createTable('vm_group_event')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('group_id', 'text', (c) => c.notNull().references('vm_group.id').onDelete('cascade'))
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('from_size', 'integer', (c) => c.notNull())
    .addColumn('to_size', 'integer', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('vm_group_event_group')
    .on('vm_group_event')
    .columns(['group_id', 'id'])
    .execute()

  await db.schema.alterTable('vm').dropColumn('vmpool_id').execute()
  await db.schema.alterTable('vm').dropColumn('vmset_id').execute()
  // A group that goes takes its members along, as wishes to delete them.
  await sql`alter table vm add column group_id text references vm_group(id) on delete set null`.execute(db)
  await db.schema.alterTable('vm').addColumn('group_kind', 'text').execute()
  await db.schema.alterTable('vm').addColumn('member_number', 'integer').execute()
  await sql`alter table vm add column retiring integer not null default 0`.execute(db)
  await sql`alter table vm add column heals integer not null default 0`.execute(db)
  // No member twice, whoever makes it.
  await sql`create unique index vm_member on vm (group_id, member_number)
    where group_id is not null and wanted_deleted = 0`.execute(db)

  await sql`alter table disk add column owner_vm_id text references vm(id) on delete set null`.execute(db)
  await db.schema.createIndex('disk_owner').on('disk').column('owner_vm_id').execute()
}
