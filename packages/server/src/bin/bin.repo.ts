import type { BinEmpty, BinItem, BinKind } from '@slipway/contract'
import { sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import type { Db, Tx } from '../db/open.ts'
import type { BinTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { deleterOf, isMeant, projectsInBin } from './bin.conditions.ts'

/** What has a row of its own that is let go of; pools and sets go with the row of the bin. */
export type DroppedKind = Exclude<BinKind, 'vm_pool' | 'vm_set'>

/** What was let go with something, by kind. */
export type Dropped = Record<DroppedKind, string[]>

/** Wishes everything of one kind deleted that is in the bin under these ids, and returns what that is; part of a transaction. */
type Drops = Record<DroppedKind, (tx: Tx, binIds: readonly string[]) => Promise<string[]>>

/** An item as its entry in the activity log has it. */
type EntryOf = (item: Omit<BinTable, 'attached' | 'kind'> & { kind: BinKind }) => Entry

/** SQLite takes 32,766 values in one statement. */
const idsAtOnce = 1000

/** Something that is in the bin with an item. */
type Along = BinItem['disks']

export type BinRepo = ReturnType<typeof makeBinRepo>

export function makeBinRepo(db: Db, drops: Drops) {
  /** Sums and counts are text in PostgreSQL. */
  type Figure = number | string | null
  const items = () =>
    db
      .selectFrom('bin')
      // Projects are no items of a bin that their members have.
      .where('bin.kind', '!=', 'project')
      .leftJoin('account', 'account.id', 'bin.deleted_by')
      .selectAll('bin')
      .select([
        'account.name as account_name',
        sql<Figure>`(select sum(size_bytes) from disk where disk.bin_id = bin.id)`.as('disk_bytes'),
        sql<Figure>`(select sum(stored_bytes) from vm_snapshot where vm_snapshot.bin_id = bin.id)`.as(
          'vm_snapshot_bytes',
        ),
        sql<Figure>`(select sum(stored_bytes) from disk_snapshot
          where disk_snapshot.bin_id = bin.id)`.as('disk_snapshot_bytes'),
        sql<string | null>`(select wanted_power from vm where vm.id = bin.id)`.as('power_now'),
      ])

  type Row = Awaited<ReturnType<ReturnType<typeof items>['execute']>>[number]

  const toItem = (row: Row, vms: Map<string, Along>, disks: Map<string, Along>): BinItem => ({
    id: row.id,
    project_id: row.project_id,
    // Those of projects are left out above.
    kind: row.kind as BinKind,
    name: row.name,
    deleted_at: row.deleted_at,
    deleted_by: deleterOf(row),
    delete_at: row.delete_at,
    vms: vms.get(row.id) ?? [],
    disks: disks.get(row.id) ?? [],
    // Written by `putInBin`, in this form.
    attached_disks: (JSON.parse(row.attached) as string[]).length,
    ended_shares: row.ended_shares,
    bytes:
      Number(row.disk_bytes ?? 0) + Number(row.vm_snapshot_bytes ?? 0) + Number(row.disk_snapshot_bytes ?? 0),
    has_memory: row.kind === 'vm' ? row.power_now === 'suspended' : null,
  })

  /** What of a table is in the bin with one of these items, by the item. */
  async function along(table: 'vm' | 'disk', ids: readonly string[]): Promise<Map<string, Along>> {
    if (ids.length === 0) return new Map()
    const rows = await db
      .selectFrom(table)
      .select(['id', 'name', 'bin_id'])
      .where('bin_id', 'in', ids)
      .orderBy('id')
      .execute()
    const byItem = Map.groupBy(rows, ({ bin_id }) => bin_id ?? '')
    return new Map([...byItem].map(([binId, all]) => [binId, all.map(({ id, name }) => ({ id, name }))]))
  }

  async function withBelongings(rows: readonly Row[]): Promise<BinItem[]> {
    const idsOf = (...kinds: string[]) => rows.flatMap(({ id, kind }) => (kinds.includes(kind) ? id : []))
    const [vms, disks] = await Promise.all([
      along('vm', idsOf('vm_pool', 'vm_set')),
      along('disk', idsOf('vm', 'vm_pool', 'vm_set')),
    ])
    return rows.map((row) => toItem(row, vms, disks))
  }

  /** Lets go of what belongs to items, and of them last, as docs/adr/0049 has it. */
  async function dropAll(tx: Tx, ids: readonly string[], entryOf: EntryOf) {
    const dropped: Dropped = { vm: [], disk: [], vm_snapshot: [], disk_snapshot: [] }
    const items: BinTable[] = []
    for (let from = 0; from < ids.length; from += idsAtOnce) {
      const some = ids.slice(from, from + idsAtOnce)
      for (const kind of Object.keys(drops) as DroppedKind[])
        dropped[kind].push(...(await drops[kind](tx, some)))
      items.push(...(await tx.deleteFrom('bin').where('id', 'in', some).returningAll().execute()))
    }
    await record(
      tx,
      items.map((item) => entryOf({ ...item, kind: item.kind as BinKind })),
    )
    return { items, dropped }
  }

  return {
    async find(id: string): Promise<BinItem | null> {
      const [item] = await withBelongings(await items().where('bin.id', '=', id).execute())
      return item ?? null
    },

    async findAll(ids: readonly string[]): Promise<BinItem[]> {
      return withBelongings(await items().where('bin.id', 'in', ids).execute())
    },

    /** What is in the bin of a project, the newest first. */
    async list(projectId: string): Promise<BinItem[]> {
      const rows = await items()
        .where('bin.project_id', '=', projectId)
        .orderBy('bin.deleted_at', 'desc')
        .orderBy('bin.id', 'desc')
        .execute()
      return withBelongings(rows)
    },

    /** What has been in the bin for long enough, projects aside: and nothing of those that are in the bin themselves. */
    async due(nowMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('bin')
        .select('id')
        .where('kind', '!=', 'project')
        .where('delete_at', '<=', isoTime(nowMs))
        .where('project_id', 'not in', projectsInBin(db))
        .orderBy('delete_at')
        .execute()
      return rows.map(({ id }) => id)
    },

    /** Keeps something no more: the reconcilers remove what there is of it. Null when it was not there. */
    drop: (id: string, entryOf: EntryOf): Promise<{ projectId: string; dropped: Dropped } | null> =>
      db.transaction().execute(async (tx) => {
        const { items, dropped } = await dropAll(tx, [id], entryOf)
        const [item] = items
        return item ? { projectId: item.project_id, dropped } : null
      }),

    /** The same for what is in the bin of a project, as far as it is meant; answers with the items that were there. */
    empty: (
      projectId: string,
      meant: BinEmpty,
      entryOf: EntryOf,
    ): Promise<{ ids: string[]; dropped: Dropped }> =>
      db.transaction().execute(async (tx) => {
        const rows = await tx
          .selectFrom('bin')
          .select('id')
          .where('project_id', '=', projectId)
          .where('kind', '!=', 'project')
          .where(isMeant(meant))
          .orderBy('id')
          .execute()
        const { items, dropped } = await dropAll(
          tx,
          rows.map(({ id }) => id),
          entryOf,
        )
        return { ids: items.map(({ id }) => id), dropped }
      }),
  }
}
