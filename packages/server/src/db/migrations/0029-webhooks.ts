import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('webhook')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('objects', 'text')
    .addColumn('kinds', 'text')
    .addColumn('actions', 'text')
    .addColumn('paused', 'integer', (c) => c.notNull())
    .addColumn('paused_reason', 'text')
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('old_secret', 'text')
    .addColumn('old_secret_until', 'text')
    .addColumn('failing_since', 'text')
    .addColumn('last_failure', 'text')
    .addColumn('gave_up_at', 'text')
    .addColumn('held_until', 'text')
    .addColumn('last_delivered_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('webhook_project').on('webhook').columns(['project_id', 'id']).execute()
  await db.schema
    .createTable('webhook_delivery')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhook.id').onDelete('cascade'))
    .addColumn('activity_id', 'text', (c) => c.notNull().references('activity.id').onDelete('cascade'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('asked', 'integer', (c) => c.notNull())
    .addColumn('tries', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'text')
    .addColumn('tried_at', 'text')
    .addColumn('status_code', 'integer')
    .addColumn('duration_ms', 'integer')
    .addColumn('failure', 'text')
    .execute()
  // What waits for a webhook, and the list of its page.
  await db.schema
    .createIndex('webhook_delivery_state')
    .on('webhook_delivery')
    .columns(['webhook_id', 'state', 'id'])
    .execute()
  await db.schema
    .createIndex('webhook_delivery_list')
    .on('webhook_delivery')
    .columns(['webhook_id', 'id'])
    .execute()
  // Few are asked for, whatever waits beside them.
  await db.schema
    .createIndex('webhook_delivery_asked')
    .on('webhook_delivery')
    .columns(['webhook_id', 'id'])
    .where(sql.ref('asked'), '=', sql.lit(1))
    .execute()
  // Entries are deleted for their age, many at once.
  await db.schema.createIndex('webhook_delivery_entry').on('webhook_delivery').column('activity_id').execute()
}
