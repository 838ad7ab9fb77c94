import type { Kysely } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('share')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('project_id', 'text', (c) => c.notNull().references('project.id').onDelete('cascade'))
    .addColumn('vm_id', 'text', (c) => c.notNull().references('vm.id').onDelete('cascade'))
    .addColumn('port', 'integer', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('audience', 'text', (c) => c.notNull())
    .addColumn('host_port', 'integer', (c) => c.unique())
    .addColumn('label', 'text', (c) => c.notNull().unique())
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('cookie_key', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'text')
    .addColumn('visits', 'bigint', (c) => c.notNull())
    .addColumn('last_visit_at', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('share_once', ['vm_id', 'port'])
    .execute()
  await db.schema.createIndex('share_project').on('share').columns(['project_id', 'id']).execute()
  await db.schema
    .createTable('share_code')
    .addColumn('code_hash', 'text', (c) => c.primaryKey())
    .addColumn('share_id', 'text', (c) => c.notNull().references('share.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (c) => c.notNull().references('session.token_hash').onDelete('cascade'))
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .execute()
}
