import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Nothing is referred to: entries stay when what they tell of is gone.
  await db.schema
    .createTable('activity')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor_name', 'text')
    .addColumn('object_type', 'text', (c) => c.notNull())
    .addColumn('object_id', 'text', (c) => c.notNull())
    .addColumn('object_name', 'text', (c) => c.notNull())
    .addColumn('project_id', 'text')
    .addColumn('account_id', 'text')
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .execute()
  // What filters ask for stands in the index: a rare kind is found without reading the table.
  await sql`create index activity_project on activity (project_id, id, kind, object_type, actor_id)
    where project_id is not null`.execute(db)
  await sql`create index activity_object on activity (project_id, object_id, id)
    where project_id is not null`.execute(db)
  await sql`create index activity_account on activity (account_id, id) where account_id is not null`.execute(
    db,
  )

  for (const table of ['disk', 'vm_snapshot', 'disk_snapshot'] as const) {
    await sql`alter table ${sql.table(table)} add column status_since text not null default ''`.execute(db)
    await sql`update ${sql.table(table)} set status_since = created_at`.execute(db)
  }
}
