import type { Kysely } from 'kysely'

/** What servers that run on one database have to know of each other; a row each, which they make themselves. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('lease')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('holder', 'text')
    .addColumn('beat', 'integer', (c) => c.notNull())
    .addColumn('home', 'text')
    .execute()
  await db.schema
    .createTable('revision')
    .addColumn('id', 'integer', (c) => c.primaryKey())
    .addColumn('epoch', 'text', (c) => c.notNull())
    .addColumn('number', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('shared_file')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('content', 'text', (c) => c.notNull())
    .execute()
}
