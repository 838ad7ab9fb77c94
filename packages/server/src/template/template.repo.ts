import type { Template } from '@slipway/contract'
import type { Db } from '../db/open.ts'
import type { TemplateTable } from '../db/schema.ts'

/** A template and what boots from it. */
export interface BootTemplate extends Template {
  imageId: string
}

const toTemplate = ({ image_id, ...row }: TemplateTable): BootTemplate => ({ ...row, imageId: image_id })

export type TemplateRepo = ReturnType<typeof makeTemplateRepo>

export function makeTemplateRepo(db: Db) {
  return {
    async list(): Promise<BootTemplate[]> {
      const rows = await db.selectFrom('template').selectAll().orderBy('created_at').orderBy('id').execute()
      return rows.map(toTemplate)
    },

    async find(id: string): Promise<BootTemplate | null> {
      const row = await db.selectFrom('template').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toTemplate(row) : null
    },

    async insert(row: TemplateTable): Promise<BootTemplate> {
      await db.insertInto('template').values(row).execute()
      return toTemplate(row)
    },

    /** Stores the built-in ones that are not there yet. */
    async insertMissing(rows: TemplateTable[]): Promise<void> {
      await db
        .insertInto('template')
        .values(rows)
        .onConflict((c) => c.column('id').doNothing())
        .execute()
    },
  }
}
