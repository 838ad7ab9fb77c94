import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // A group that the bin does not keep any more is no group: its members are deleted for good by then.
  await sql`alter table vm_group add column bin_id text
    references bin (id) on delete cascade deferrable initially deferred`.execute(db)
  await db.schema.createIndex('vm_group_bin').on('vm_group').column('bin_id').execute()
}
