import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // What is there already stays for its days: a limit that is new deletes nothing.
  await sql`alter table bin add column counted integer not null default 1`.execute(db)
  await sql`alter table bin add column leaves_why text`.execute(db)
  // Few of them, looked for again and again.
  await sql`create index bin_unsettled on bin (project_id)
    where counted = 0 or leaves_why is not null`.execute(db)
}
