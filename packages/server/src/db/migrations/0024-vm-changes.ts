import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table vm add column note text not null default ''`.execute(db)
  await sql`alter table vm add column tags text not null default '[]'`.execute(db)
  await sql`alter table vm add column delete_protection integer not null default 0`.execute(db)
  await sql`alter table vm add column next_cpu integer`.execute(db)
  await sql`alter table vm add column next_memory_mb integer`.execute(db)
}
