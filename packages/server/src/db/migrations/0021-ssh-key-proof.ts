import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table ssh_key add column proven_at text`.execute(db)
  await sql`alter table ssh_key add column proof_code text`.execute(db)
  await sql`alter table ssh_key add column proof_expires_at text`.execute(db)
  // Each connection by SSH asks who stored its key, and whether others did.
  await db.schema.createIndex('ssh_key_fingerprint').on('ssh_key').column('fingerprint').execute()
}
