import type { Template } from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { TemplateTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { dropStartScript } from './template.writes.ts'

/** A template as it is stored, and what its VMs boot. */
export interface StoredTemplate extends Omit<Template, 'image'> {
  imageId: string
  retiredAt: string | null
}

/** With the start script, as a create request needs it: read at once, so that it fits the image. */
export interface WholeTemplate extends StoredTemplate {
  startScript: string | null
}

const dayMs = 24 * 60 * 60_000

/** Who puts a template into the bin, and for how many days it is kept. */
interface Keep {
  deletedBy: string
  days: number
  nowMs: number
}

type Row = TemplateTable & { start_script_of: string | null }

const toTemplate = ({ image_id, retired_at, start_script_of, ...row }: Row): StoredTemplate => ({
  ...row,
  has_start_script: start_script_of !== null,
  imageId: image_id,
  retiredAt: retired_at,
})

export type TemplateRepo = ReturnType<typeof makeTemplateRepo>

export function makeTemplateRepo(db: Db) {
  /** With whether there is a start script: the key of its row, and not its text. */
  const rows = (executor: Db = db) =>
    executor
      .selectFrom('template')
      .leftJoin('template_start_script as start', 'start.template_id', 'template.id')
      .selectAll('template')
      .select('start.template_id as start_script_of')

  const wholeRows = (executor: Db = db) => rows(executor).select('start.script')

  async function setScript(tx: Tx, id: string, script: string | null): Promise<void> {
    await dropStartScript(tx, id)
    if (script !== null)
      await tx.insertInto('template_start_script').values({ template_id: id, script }).execute()
  }

  /** How many VMs, and pools and sets, exist of each template; of those without any there is nothing. */
  async function uses(executor: Db = db): Promise<Map<string, { vms: number; groups: number }>> {
    const vms = await executor
      .selectFrom('vm')
      .select((e) => ['template_id', e.fn.countAll<number>().as('n')])
      .where('wanted_deleted', '=', 0)
      .groupBy('template_id')
      .execute()
    const groups = await executor
      .selectFrom('vm_group')
      .select((e) => ['template_id', e.fn.countAll<number>().as('n')])
      .where('bin_id', 'is', null)
      .groupBy('template_id')
      .execute()
    const uses = new Map(vms.map(({ template_id, n }) => [template_id, { vms: Number(n), groups: 0 }]))
    for (const { template_id, n } of groups)
      uses.set(template_id, { vms: uses.get(template_id)?.vms ?? 0, groups: Number(n) })
    return uses
  }

  return {
    async list(): Promise<StoredTemplate[]> {
      return (await rows().orderBy('created_at').orderBy('id').execute()).map(toTemplate)
    },

    uses: () => uses(),

    /** Changes a template, after `allowed` agreed to what it is then; null when there is none. Without a script, that stays. */
    change(
      id: string,
      allowed: (template: WholeTemplate) => void,
      set: Partial<TemplateTable>,
      entryOf: (template: StoredTemplate) => Entry,
      script?: string | null,
    ): Promise<StoredTemplate | null> {
      return db.transaction().execute(async (tx) => {
        const found = await wholeRows(tx).where('id', '=', id).executeTakeFirst()
        if (!found) return null
        const { script: before, ...row } = found
        allowed({ ...toTemplate(row), startScript: before })
        await tx.updateTable('template').set(set).where('id', '=', id).execute()
        if (script !== undefined) await setScript(tx, id, script)
        const after = toTemplate({
          ...row,
          ...set,
          ...(script !== undefined && { start_script_of: script === null ? null : id }),
        })
        await record(tx, [entryOf(after)])
        return after
      })
    },

    /**
     * Deletes a template, and puts it into the bin where it is kept, after `allowed` agreed to what it is then and what uses
     * it; false when there is none.
     */
    remove(
      id: string,
      allowed: (template: StoredTemplate, uses: { vms: number; groups: number }) => void,
      entryOf: (template: StoredTemplate) => Entry,
      keep: Keep | null,
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const found = await rows(tx).where('id', '=', id).executeTakeFirst()
        if (!found) return false
        const template = toTemplate(found)
        allowed(template, (await uses(tx)).get(id) ?? { vms: 0, groups: 0 })
        await tx.deleteFrom('template').where('id', '=', id).execute()
        if (!keep) await dropStartScript(tx, id)
        else {
          const { start_script_of: _, ...row } = found
          const { deletedBy, days, nowMs } = keep
          const times = { deleted_at: isoTime(nowMs), delete_at: isoTime(nowMs + days * dayMs) }
          await tx
            .insertInto('template_bin')
            .values({ ...row, ...times, deleted_by: deletedBy })
            .execute()
        }
        await record(tx, [entryOf(template)])
        return true
      })
    },

    async find(id: string): Promise<StoredTemplate | null> {
      const row = await rows().where('id', '=', id).executeTakeFirst()
      return row ? toTemplate(row) : null
    },

    async findWhole(id: string): Promise<WholeTemplate | null> {
      const row = await wholeRows().where('id', '=', id).executeTakeFirst()
      if (!row) return null
      const { script, ...template } = row
      return { ...toTemplate(template), startScript: script }
    },

    async insert(row: TemplateTable, script: string | null, entry: Entry): Promise<StoredTemplate> {
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('template').values(row).execute()
        if (script !== null) await setScript(tx, row.id, script)
        await record(tx, [entry])
      })
      return toTemplate({ ...row, start_script_of: script === null ? null : row.id })
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
