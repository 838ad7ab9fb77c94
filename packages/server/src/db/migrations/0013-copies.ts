import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm add column copy_of text`.execute(db)
  await sql`alter table disk add column snapshot_disk_id text`.execute(db)
}
