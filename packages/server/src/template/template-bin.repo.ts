import { type BinTemplate, nameBack, nameLimit } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { deleterOf } from '../bin/bin.conditions.ts'
import type { Db, Tx } from '../db/open.ts'
import type { TemplateBinTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { dropStartScript } from './template.writes.ts'

export type StoredInBin = Pick<TemplateBinTable, 'id' | 'name' | 'deleted_at' | 'deleted_by' | 'delete_at'>

export type TemplateBinRepo = ReturnType<typeof makeTemplateBinRepo>

export function makeTemplateBinRepo(db: Db) {
  const take = (tx: Tx, id: string) =>
    tx.deleteFrom('template_bin').where('id', '=', id).returningAll().executeTakeFirst()

  return {
    /** The templates that are in the bin, the newest first. */
    async list(): Promise<BinTemplate[]> {
      const rows = await db
        .selectFrom('template_bin')
        .leftJoin('account', 'account.id', 'template_bin.deleted_by')
        .selectAll('template_bin')
        .select('account.name as account_name')
        .orderBy('template_bin.deleted_at', 'desc')
        .orderBy('template_bin.id', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        description: row.description,
        default_cpu: row.default_cpu,
        default_memory_mb: row.default_memory_mb,
        retired_at: row.retired_at,
        deleted_at: row.deleted_at,
        deleted_by: deleterOf(row),
        delete_at: row.delete_at,
      }))
    },

    /** The ids of those that have been in the bin for long enough. */
    async due(nowMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('template_bin')
        .select('id')
        .where('delete_at', '<=', isoTime(nowMs))
        .orderBy('delete_at')
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Takes a template out of the bin, as it was but for a name that another one has now; null when it is not there any more. */
    restore(
      id: string,
      entryOf: (before: StoredInBin, name: string) => Entry,
    ): Promise<{ id: string; name: string } | null> {
      return db.transaction().execute(async (tx) => {
        const row = await take(tx, id)
        if (!row) return null
        const { deleted_at, deleted_by, delete_at, ...template } = row
        const others = await tx.selectFrom('template').select('name').execute()
        const name = nameBack(
          template.name,
          others.map((other) => other.name),
          nameLimit,
        )
        await tx
          .insertInto('template')
          .values({ ...template, name })
          .execute()
        await record(tx, [entryOf({ id, name: template.name, deleted_at, deleted_by, delete_at }, name)])
        return { id, name }
      })
    },

    /** Keeps a template no more; false when it was not there. */
    drop(id: string, entryOf: (item: StoredInBin) => Entry): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const item = await take(tx, id)
        if (!item) return false
        await dropStartScript(tx, id)
        await record(tx, [entryOf(item)])
        return true
      })
    },
  }
}
