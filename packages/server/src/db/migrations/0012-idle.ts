import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm add column suspend_after_min integer`.execute(db)
  await sql`alter table vm add column idle_since text`.execute(db)
}
