import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm_group add column revision integer not null default 1`.execute(db)
  await sql`alter table vm_group add column roll_out text`.execute(db)
  await sql`alter table vm_group add column roll_out_why text`.execute(db)
  // Null of those that were made before: they have the first settings of their group.
  await sql`alter table vm add column group_revision integer`.execute(db)
}
