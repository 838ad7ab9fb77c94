import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm add column former_ssh_keys text not null default '[]'`.execute(db)
  await sql`alter table vm add column ssh_key_due text`.execute(db)
}
