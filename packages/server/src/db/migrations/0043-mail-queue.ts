import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  // Accounts are not referred to: the last mail tells that one is gone.
  await db.schema
    .createTable('mail_queue')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text')
    .addColumn('purpose', 'text', (c) => c.notNull())
    .addColumn('recipient', 'text', (c) => c.notNull())
    .addColumn('content', 'text')
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('next_at', 'text')
    .addColumn('claim', 'text')
    .addColumn('tried_at', 'text')
    .addColumn('expires_at', 'text')
    .addColumn('failure', 'text')
    .execute()
  // What is due, and the list of what is in a state.
  await sql`create index mail_queue_waiting on mail_queue (next_at) where state = 'waiting'`.execute(db)
  await db.schema.createIndex('mail_queue_state').on('mail_queue').columns(['state', 'id']).execute()
  await db.schema.createIndex('mail_queue_account').on('mail_queue').column('account_id').execute()
}
