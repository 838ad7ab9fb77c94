import type { Template } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db } from '../db/open.ts'
import type { TemplateTable } from '../db/schema.ts'

/** A template as it is stored, and what its VMs boot. */
export interface StoredTemplate extends Omit<Template, 'image'> {
  imageId: string
}

const toTemplate = ({ image_id, ...row }: TemplateTable): StoredTemplate => ({ ...row, imageId: image_id })

export type TemplateRepo = ReturnType<typeof makeTemplateRepo>

export function makeTemplateRepo(db: Db) {
  return {
    async list(): Promise<StoredTemplate[]> {
      const rows = await db.selectFrom('template').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toTemplate)
    },

    async find(id: string): Promise<StoredTemplate | null> {
      const row = await db.selectFrom('template').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toTemplate(row) : null
    },

    async insert(row: TemplateTable, entry: Entry): Promise<StoredTemplate> {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('template').values(row).execute()
        await record(tx, [entry])
      })
      return toTemplate(row)
    },

    /** Tells of what changed nothing in the table. */
    recordOnly: (entry: Entry): Promise<void> => db.transaction().execute((tx) => record(tx, [entry])),

    /** Stores the built-in ones; those that are there get what they say and boot now. */
    async install(rows: TemplateTable[]): Promise<void> {
      await db
        .insertInto('template')
        .values(rows)
        .onConflict((c) =>
          c.column('id').doUpdateSet((row) => ({
            name: row.ref('excluded.name'),
            description: row.ref('excluded.description'),
            image_url: row.ref('excluded.image_url'),
            image_id: row.ref('excluded.image_id'),
            default_cpu: row.ref('excluded.default_cpu'),
            default_memory_mb: row.ref('excluded.default_memory_mb'),
          })),
        )
        .execute()
    },
  }
}
