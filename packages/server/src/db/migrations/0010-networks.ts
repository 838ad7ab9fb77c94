import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // VMs reached the Internet before there was a choice.
  await sql`alter table project add column internet integer not null default 1`.execute(db)
}
