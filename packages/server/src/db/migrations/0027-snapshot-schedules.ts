import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('snapshot_schedule')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('vm_id', 'text', (c) => c.unique().references('vm.id').onDelete('cascade'))
    .addColumn('disk_id', 'text', (c) => c.unique().references('disk.id').onDelete('cascade'))
    .addColumn('rhythms', 'text', (c) => c.notNull())
    .addColumn('time_zone', 'text', (c) => c.notNull())
    .addColumn('snapshot_type', 'text', (c) => c.notNull())
    .addColumn('paused', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'text')
    .addColumn('counted_at', 'text', (c) => c.notNull())
    .addColumn('thin_at', 'text')
    .addColumn('not_deleted', 'text')
    .addColumn('last_due_at', 'text')
    .addColumn('last_snapshot_id', 'text')
    .addColumn('last_refusal', 'text')
    .addColumn('missed_count', 'integer', (c) => c.notNull())
    .addColumn('missed_since', 'text')
    .addColumn('missed_until', 'text')
    .addColumn('missed_reason', 'text')
    .addCheckConstraint('schedule_of_one', sql`(vm_id is null) <> (disk_id is null)`)
    .execute()
  for (const column of ['next_at', 'counted_at', 'thin_at'])
    await db.schema
      .createIndex(`snapshot_schedule_${column}`)
      .on('snapshot_schedule')
      .column(column)
      .execute()
  // No reference: what a schedule took stays when the schedule is deleted.
  for (const table of ['vm_snapshot', 'disk_snapshot']) {
    await sql`alter table ${sql.table(table)} add column schedule_id text`.execute(db)
    await sql`alter table ${sql.table(table)} add column scheduled text`.execute(db)
    await db.schema.createIndex(`${table}_schedule`).on(table).column('schedule_id').execute()
  }
}
