import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table session add column user_agent text`.execute(db)
  await sql`alter table session add column ip text`.execute(db)
  await sql`alter table mail_token add column email text`.execute(db)
}
