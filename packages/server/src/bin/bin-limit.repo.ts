import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import { isoTime } from '../lib/clock.ts'
import {
  bytesOfDisk,
  bytesOfDiskSnapshot,
  bytesOfRoot,
  bytesOfVmSnapshot,
  heldInBins,
  type InBin,
} from '../stored-bytes/stored-bytes.conditions.ts'
import { type BinLimits, type Leaving, planLeaving } from './bin.plan.ts'

/** The limits of the bin of the account that owns a project; null when there is no such project. */
export type LimitsOf = (
  projectId: string,
  tx?: Tx,
) => Promise<{ accountId: string; limits: BinLimits } | null>

/** Something that leaves the bin, and what came in last. */
export interface Leaves {
  item: InBin
  why: Leaving['why']
  newest: InBin
}

export type BinLimitRepo = ReturnType<typeof makeBinLimitRepo>

export function makeBinLimitRepo(db: Db, limitsOf: LimitsOf) {
  /** Whether something came in since the limits of an account were kept last. */
  const isUncounted = async (tx: Tx, accountId: string): Promise<boolean> => {
    const row = await tx
      .selectFrom('bin')
      .innerJoin('project', 'project.id', 'bin.project_id')
      .select('bin.id')
      .where('project.account_id', '=', accountId)
      .where('bin.counted', '=', 0)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }

  return {
    /**
     * Sees to it that the bin of an account keeps its limits after something came into it: what has to leave is marked with the
     * reason, and is deleted for good from then on. Where nothing came in nothing is done, so that a limit that was lowered
     * deletes nothing by itself. Returns the account; null when there is no such project any more.
     */
    keep(
      projectId: string,
      nowMs: number,
      reasonOf: (leaves: Leaves, limits: BinLimits) => string,
    ): Promise<string | null> {
      return db.transaction().execute(async (tx) => {
        const owner = await limitsOf(projectId, tx)
        if (!owner) return null
        const { accountId, limits } = owner
        if (!(await isUncounted(tx, accountId))) return accountId
        const isLimited = limits.bytes !== null || limits.vms !== null
        const held = isLimited ? await heldInBins({ accountId }, tx) : []
        const [newest] = held
          .filter(({ isNew }) => isNew)
          .sort((a, b) => (a.deletedAt < b.deletedAt ? 1 : -1))
        for (const { id, why } of planLeaving(held, limits)) {
          const item = held.find((one) => one.id === id)
          if (!item || !newest) continue
          await tx
            .updateTable('bin')
            .set({ leaves_why: reasonOf({ item, why, newest }, limits), delete_at: isoTime(nowMs) })
            .where('id', '=', id)
            .execute()
        }
        const projectIds = tx.selectFrom('project').select('id').where('account_id', '=', accountId)
        await tx
          .updateTable('bin')
          .set({ counted: 1 })
          .where('counted', '=', 0)
          .where('project_id', 'in', projectIds)
          .execute()
        return accountId
      })
    },

    /** Projects in whose bins something was not counted yet, or is on its way out. */
    async unsettled(): Promise<string[]> {
      const rows = await db
        .selectFrom('bin')
        .select('project_id')
        .distinct()
        .where((e) => e.or([e('counted', '=', 0), e('leaves_why', 'is not', null)]))
        .execute()
      return rows.map(({ project_id }) => project_id)
    },

    /** What of an account is on its way out. */
    async leaving(accountId: string): Promise<{ id: string; isProject: boolean }[]> {
      const rows = await db
        .selectFrom('bin')
        .innerJoin('project', 'project.id', 'bin.project_id')
        .select(['bin.id', 'bin.kind'])
        .where('project.account_id', '=', accountId)
        .where('bin.leaves_why', 'is not', null)
        .orderBy('bin.deleted_at')
        .execute()
      return rows.map(({ id, kind }) => ({ id, isProject: kind === 'project' }))
    },

    /** What these objects of a project, or all of it, would take in the bin, and how many others would leave it. */
    async preview(projectId: string, ids: readonly string[]) {
      const owner = await limitsOf(projectId)
      if (!owner) return null
      const { accountId, limits } = owner
      const coming = await takenBy(db, projectId, ids)
      const isWhole = ids.includes(projectId)
      const all = await heldInBins({ accountId }, db)
      // The bin of a project goes along with it.
      const held = isWhole ? all.filter((item) => item.projectId !== projectId) : all
      const along = isWhole ? all.filter((item) => item.projectId === projectId) : []
      const bytes = along.reduce((sum, item) => sum + item.bytes, coming.bytes)
      const vms = along.reduce((sum, item) => sum + item.vms, coming.vms)
      const leaving = planLeaving([...held, { id: '', deletedAt: '', isNew: true, bytes, vms }], limits)
      const fits = !leaving.some(({ id }) => id === '')
      return { bytes, vms, limits, fits, pushesOut: leaving.filter(({ id }) => id !== '').length }
    },
  }
}

/** What objects take that are not in the bin, by their ids or that of their project. */
async function takenBy(executor: Db, projectId: string, ids: readonly string[]) {
  const list = sql.join(ids)
  const meant = (table: RawBuilder<unknown>) =>
    sql`${table}.project_id = ${projectId} and (${table}.id in (${list}) or ${table}.project_id in (${list}))`
  const vms = sql`select vm.id from vm
    where vm.project_id = ${projectId} and (vm.id in (${list}) or vm.group_id in (${list}))`
  const { rows } = await sql<{ bytes: number | string | null; vms: number | string | null }>`
    select sum(bytes) as bytes, sum(vms) as vms from (
      select coalesce(${bytesOfRoot}, 0) as bytes, 1 as vms from vm
        where vm.wanted_deleted = 0 and ((${meant(sql.table('vm'))}) or vm.id in (${vms}))
      union all select ${bytesOfDisk}, 0 from disk
        where disk.status <> 'deleting' and ((${meant(sql.table('disk'))}) or disk.owner_vm_id in (${vms}))
      union all select ${bytesOfVmSnapshot}, 0 from vm_snapshot
        where vm_snapshot.status <> 'deleting' and ${meant(sql.table('vm_snapshot'))}
      union all select ${bytesOfDiskSnapshot}, 0 from disk_snapshot
        where disk_snapshot.status <> 'deleting' and ${meant(sql.table('disk_snapshot'))}
    ) taken`.execute(executor)
  return { bytes: Number(rows[0]?.bytes ?? 0), vms: Number(rows[0]?.vms ?? 0) }
}
