import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table disk add column next_size_bytes bigint`.execute(db)
}
