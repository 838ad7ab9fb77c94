import type { Template } from '@slipway/contract'
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

    async insert(row: TemplateTable): Promise<StoredTemplate> {
      await db.insertInto('template').values(row).execute()
      return toTemplate(row)
    },

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
