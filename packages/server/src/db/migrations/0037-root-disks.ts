import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm add column root_bytes bigint`.execute(db)
  await sql`alter table vm add column next_root_bytes bigint`.execute(db)
}
