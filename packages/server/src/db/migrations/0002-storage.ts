import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A disk outlives its project only as a wish to delete it, so the column must take null: SQLite needs a new table.
  await db.schema
    .createTable('disk_next')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.references('project.id').onDelete('set null'))
    // One column, so a disk is on at most one VM.
    .addColumn('vm_id', 'text', (c) => c.references('vm.id').onDelete('set null'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_message', 'text')
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('image_url', 'text')
    .addColumn('image_sha256', 'text')
    .addColumn('snapshot_id', 'text')
    .addColumn('snapshot_kind', 'text')
    .addColumn('plugged', 'integer', (c) => c.notNull())
    .addColumn('detaching', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint('disk_attached', sql`(status = 'attached') = (vm_id is not null) or status = 'error'`)
    .addCheckConstraint('disk_has_project', sql`project_id is not null or status = 'deleting'`)
    .execute()
  await sql`insert into disk_next
    select id, project_id, vm_id, name, description, status, status_message, size_bytes,
      case source when 'image' then 'HTTP' when 'snapshot' then 'SNAPSHOT' else 'EMPTY' end,
      image_url, null, null, null, 1, 0, created_at from disk`.execute(db)
  await db.schema.dropTable('disk').execute()
  await db.schema.alterTable('disk_next').renameTo('disk').execute()
  await db.schema.createIndex('disk_project').on('disk').columns(['project_id', 'id']).execute()
  await db.schema.createIndex('disk_vm').on('disk').column('vm_id').execute()

  await db.schema
    .createTable('vm_snapshot')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.references('project.id').onDelete('set null'))
    // No reference: a snapshot outlives its VM.
    .addColumn('vm_id', 'text', (c) => c.notNull())
    .addColumn('vm_name', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_message', 'text')
    .addColumn('snapshot_type', 'text', (c) => c.notNull())
    .addColumn('has_memory', 'integer', (c) => c.notNull())
    .addColumn('consistency', 'text')
    .addColumn('disks', 'text', (c) => c.notNull())
    .addColumn('automatic', 'integer', (c) => c.notNull())
    .addColumn('stored_bytes', 'bigint')
    .addColumn('retention_days', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('metadata', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint('vm_snapshot_has_project', sql`project_id is not null or status = 'deleting'`)
    .execute()
  await db.schema.createIndex('vm_snapshot_project').on('vm_snapshot').columns(['project_id', 'id']).execute()
  await db.schema.createIndex('vm_snapshot_vm').on('vm_snapshot').column('vm_id').execute()

  await db.schema
    .createTable('disk_snapshot')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.references('project.id').onDelete('set null'))
    // No reference: a snapshot outlives its disk.
    .addColumn('disk_id', 'text', (c) => c.notNull())
    .addColumn('disk_name', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('size_bytes', 'bigint', (c) => c.notNull())
    .addColumn('stored_bytes', 'bigint')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('status_message', 'text')
    .addColumn('snapshot_type', 'text', (c) => c.notNull())
    .addColumn('parent_id', 'text')
    .addColumn('consistency', 'text')
    .addColumn('retention_days', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addCheckConstraint('disk_snapshot_has_project', sql`project_id is not null or status = 'deleting'`)
    .execute()
  await db.schema.createIndex('disk_snapshot_disk').on('disk_snapshot').column('disk_id').execute()
  // A disk is made from a snapshot by its name, so the name must be one (catalogue G-053).
  await sql`create unique index disk_snapshot_name on disk_snapshot (project_id, name)
    where status <> 'deleting'`.execute(db)

  await db.schema.alterTable('vm').addColumn('restore_from', 'text').execute()
  await db.schema.alterTable('vm').addColumn('restore_safety', 'text').execute()
  await sql`alter table vm add column restore_prepared integer not null default 0`.execute(db)
}
