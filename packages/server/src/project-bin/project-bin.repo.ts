import { type BinEmpty, type BinProject, nameBack, nameLimit, type ProjectRole } from '@slipway/contract'
import { sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { deleterOf, isMeant, projectsInBin } from '../bin/bin.conditions.ts'
import { takeFromBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import { keepDiskSnapshotsOfProject } from '../disk-snapshot/disk-snapshot.writes.ts'
import { isoTime } from '../lib/clock.ts'
import { renameProject } from '../project/project.writes.ts'
import { bringMembersBack } from '../project-member/project-member.writes.ts'
import { sharesOfProject } from '../share/share.writes.ts'
import { resumeSchedulesOfProject } from '../snapshot-schedule/snapshot-schedule.writes.ts'
import { keepVmSnapshotsOfProject } from '../vm-snapshot/vm-snapshot.writes.ts'

/** How long snapshots stay at least that come back with a project. */
const leastStayMs = 24 * 60 * 60_000

export interface StoredInBin {
  id: string
  name: string
  ownerId: string
  deleted_at: string
  delete_at: string
  leaves_why: string | null
}

export interface CameBack {
  name: string
  /** Who are members again, by account. */
  roles: Record<string, ProjectRole>
  shareIds: string[]
}

export type ProjectBinRepo = ReturnType<typeof makeProjectBinRepo>

export function makeProjectBinRepo(db: Db) {
  /** Counts are text in PostgreSQL. */
  type Figure = number | string
  const stored = (executor: Db = db) =>
    executor
      .selectFrom('bin')
      .innerJoin('project', 'project.id', 'bin.id')
      .where('bin.kind', '=', 'project')
      .select([
        'bin.id',
        'project.name',
        'project.account_id as ownerId',
        'bin.deleted_at',
        'bin.delete_at',
        'bin.leaves_why',
      ])

  return {
    /** The projects of an account that are in the bin, the newest first. */
    async list(accountId: string): Promise<BinProject[]> {
      const vms = sql`from vm where vm.project_id = bin.id and vm.wanted_deleted = 0`
      const rows = await stored()
        .leftJoin('account', 'account.id', 'bin.deleted_by')
        .where('project.account_id', '=', accountId)
        .select([
          'bin.deleted_by',
          'account.name as account_name',
          sql<Figure>`(select count(*) ${vms})`.as('vms'),
          sql<Figure>`(select count(*) ${vms} and vm.fault is null
            and coalesce(vm.power_back, vm.wanted_power) = 'on')`.as('running_vms'),
          sql<Figure>`(select count(*) from vm_group g where g.project_id = bin.id and g.kind = 'pool' and g.bin_id is null)`.as(
            'vm_pools',
          ),
          sql<Figure>`(select count(*) from vm_group g where g.project_id = bin.id and g.kind = 'set' and g.bin_id is null)`.as(
            'vm_sets',
          ),
          sql<Figure>`(select count(*) from disk d
            where d.project_id = bin.id and d.status <> 'deleting')`.as('disks'),
          sql<Figure>`((select count(*) from vm_snapshot s
            where s.project_id = bin.id and s.status <> 'deleting')
            + (select count(*) from disk_snapshot s
              where s.project_id = bin.id and s.status <> 'deleting'))`.as('snapshots'),
          sql<Figure>`(select count(*) from bin b where b.project_id = bin.id and b.kind <> 'project')`.as(
            'bin_items',
          ),
        ])
        .orderBy('bin.deleted_at', 'desc')
        .orderBy('bin.id', 'desc')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        deleted_at: row.deleted_at,
        deleted_by: deleterOf(row),
        delete_at: row.delete_at,
        vms: Number(row.vms),
        running_vms: Number(row.running_vms),
        vm_pools: Number(row.vm_pools),
        vm_sets: Number(row.vm_sets),
        disks: Number(row.disks),
        snapshots: Number(row.snapshots),
        bin_items: Number(row.bin_items),
      }))
    },

    /** A project of an account that is in the bin. */
    async find(id: string, accountId: string): Promise<StoredInBin | null> {
      const row = await stored()
        .where('bin.id', '=', id)
        .where('project.account_id', '=', accountId)
        .executeTakeFirst()
      return row ?? null
    },

    /** Those of an account that are meant by a call to empty the bin. */
    meant: (accountId: string, by: BinEmpty): Promise<StoredInBin[]> =>
      stored().where('project.account_id', '=', accountId).where(isMeant(by)).orderBy('bin.id').execute(),

    /** One that is kept no more, because the bin has no room for it. */
    leaving: (id: string): Promise<StoredInBin | undefined> =>
      stored().where('bin.id', '=', id).where('bin.leaves_why', 'is not', null).executeTakeFirst(),

    /** Those that have been in the bin for long enough. */
    due: (nowMs: number): Promise<StoredInBin[]> =>
      stored().where('bin.delete_at', '<=', isoTime(nowMs)).orderBy('bin.delete_at').execute(),

    /**
     * Takes a project out of the bin: its members are members again, and its snapshots and schedules count from now. Null
     * when it is not there any more. `given` may throw to refuse, and is asked while the project is still in the bin.
     */
    restore(
      id: string,
      accountId: string,
      nowMs: number,
      given: (tx: Tx) => Promise<void>,
      entryOf: (before: StoredInBin, name: string) => Entry,
    ): Promise<CameBack | null> {
      return db.transaction().execute(async (tx) => {
        const before = await stored(tx)
          .where('bin.id', '=', id)
          .where('project.account_id', '=', accountId)
          .executeTakeFirst()
        if (!before) return null
        await given(tx)
        const others = await tx
          .selectFrom('project')
          .select('name')
          .where('account_id', '=', accountId)
          .where('id', 'not in', projectsInBin(tx))
          .execute()
        const taken = others.map((other) => other.name)
        const name = nameBack(before.name, taken, nameLimit)
        await takeFromBin(tx, id)
        if (name !== before.name) await renameProject(tx, id, name)
        const roles = await bringMembersBack(tx, id)
        const until = isoTime(nowMs + leastStayMs)
        await keepVmSnapshotsOfProject(tx, id, until)
        await keepDiskSnapshotsOfProject(tx, id, until)
        await resumeSchedulesOfProject(tx, id, nowMs)
        await record(tx, [entryOf(before, name)])
        return { name, roles, shareIds: await sharesOfProject(tx, id) }
      })
    },
  }
}
