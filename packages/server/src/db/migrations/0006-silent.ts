import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A guest that lives and does not answer is a fact of its own, apart from one that has not come up yet.
  await sql`alter table vm add column silent integer not null default 0`.execute(db)
}
