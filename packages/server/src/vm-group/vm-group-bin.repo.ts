/** Pools and sets that go to the bin with their members, and come back. */
import { nameBack, nameLimit } from '@slipway/contract'
import { sql } from 'kysely'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { type Binned, putInBin, takeFromBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import type { VmGroupTable } from '../db/schema.ts'
import { freeDisksOf, keepDisksOf, releaseDisksOf, returnDisksOf } from '../disk/disk.writes.ts'
import { isoTime } from '../lib/clock.ts'
import { endSharesOf } from '../share/share.writes.ts'
import { resumeSchedules } from '../snapshot-schedule/snapshot-schedule.writes.ts'
import { bytesOfDisk } from '../stored-bytes/stored-bytes.conditions.ts'
import { keepMembersOf, returnMembersOf } from '../vm/vm.writes.ts'
import { isGroupBusy } from './vm-group.conditions.ts'
import { binKindOf, type Gone, type GroupKind, type GroupRecord, type Returning } from './vm-group.state.ts'

interface CameBack {
  group: GroupRecord
  vmIds: string[]
  diskIds: string[]
  /** Disks that were attached to its members and stayed behind. */
  freed: number
  endedShares: number
  /** Whether the VM snapshot is gone that new members would be made of. */
  lacksSnapshot: boolean
}

export type VmGroupBinRepo = ReturnType<typeof makeVmGroupBinRepo>

export function makeVmGroupBinRepo(db: Db, toGroup: (row: VmGroupTable) => GroupRecord) {
  /** What a group in the bin has with it. */
  async function returning(tx: Tx, group: GroupRecord): Promise<Returning> {
    const members = await tx
      .selectFrom('vm')
      .select(['cpu', 'next_cpu', 'memory_mb', 'next_memory_mb', 'root_bytes', 'next_root_bytes'])
      .where('bin_id', '=', group.id)
      .execute()
    const { bytes } = await tx
      .selectFrom('disk')
      .select(sql<number | string | null>`sum(${bytesOfDisk})`.as('bytes'))
      .where('bin_id', '=', group.id)
      .executeTakeFirstOrThrow()
    return {
      group,
      members: members.map(({ cpu, next_cpu, memory_mb, next_memory_mb, root_bytes, next_root_bytes }) => ({
        cpu: Math.max(cpu, next_cpu ?? 0),
        memoryMb: Math.max(memory_mb, next_memory_mb ?? 0),
        rootBytes: Math.max(root_bytes ?? 0, next_root_bytes ?? 0),
      })),
      diskBytes: Number(bytes ?? 0),
    }
  }

  async function lacksSnapshot(tx: Tx, { copyOf }: GroupRecord): Promise<boolean> {
    if (copyOf === null) return false
    const row = await tx
      .selectFrom('vm_snapshot')
      .select('id')
      .where('id', '=', copyOf)
      .where('status', '!=', 'deleting')
      .executeTakeFirst()
    return row === undefined
  }

  return {
    /**
     * Puts a group into the bin with its members and the disks that were made for them; other disks they have are free, and
     * what they share ends. `busy`: a snapshot or restore needs a member as it is; `protected`: one is protected against
     * deletion.
     */
    put(
      { id, projectId, kind, name }: GroupRecord,
      by: Pick<Binned, 'deletedBy' | 'days'>,
      entry: Entry,
    ): Promise<'busy' | 'missing' | 'protected' | Gone> {
      return db.transaction().execute(async (tx) => {
        const there = tx.selectFrom('vm_group').select('id').where('id', '=', id).where('bin_id', 'is', null)
        if (!(await there.executeTakeFirst())) return 'missing'
        const ofMembers = tx.selectFrom('vm').select('id').where('group_id', '=', id)
        const present = ofMembers.where('wanted_deleted', '=', 0)
        const rows = await present.select('delete_protection').execute()
        if (rows.some((row) => row.delete_protection === 1)) return 'protected'
        if (await isGroupBusy(tx, id)) return 'busy'
        await record(tx, [entry])
        const shareIds = await endSharesOf(tx, present, entry.at)
        // First: which of them have disks that stay behind is known as long as they have them.
        await keepMembersOf(tx, id)
        // Those that were never ready.
        const doomed = ofMembers.where('wanted_deleted', '=', 1).where('bin_id', 'is', null)
        const { deletedIds, freedIds } = await releaseDisksOf(tx, doomed, entry.at)
        const kept = ofMembers.where('bin_id', '=', id)
        const keptIds = await keepDisksOf(tx, kept, id, entry.at)
        const freed = await freeDisksOf(tx, kept, entry.at)
        const attached = freed.map((disk) => disk.id)
        const item = { id, projectId, kind: binKindOf[kind], name, ...by }
        await putInBin(tx, item, entry.at, { power: null, ended_shares: shareIds.length, attached })
        await tx.updateTable('vm_group').set({ bin_id: id }).where('id', '=', id).execute()
        return {
          vmIds: rows.map((row) => row.id),
          diskIds: [...deletedIds, ...keptIds],
          freedIds: [...freedIds, ...attached],
          shareIds,
        }
      })
    },

    /**
     * Takes a group out of the bin with all that was kept of it; null when it is not there any more. `given` may throw to
     * refuse, and is asked while it is still in the bin.
     */
    restore(
      id: string,
      projectId: string,
      kind: GroupKind,
      nowMs: number,
      given: (tx: Tx, back: Returning) => Promise<void>,
      entryOf: (group: GroupRecord, before: string) => Entry,
    ): Promise<CameBack | null> {
      return db.transaction().execute(async (tx) => {
        const ofKind = tx
          .selectFrom('vm_group')
          .selectAll()
          .where('project_id', '=', projectId)
          .where('kind', '=', kind)
        const row = await ofKind.where('bin_id', '=', id).executeTakeFirst()
        if (!row) return null
        const before = toGroup(row)
        await given(tx, await returning(tx, before))
        const taken = (await ofKind.where('bin_id', 'is', null).execute()).map((other) => other.name)
        const name = nameBack(row.name, taken, nameLimit)
        // What it waited for or failed of is judged anew.
        const set = {
          bin_id: null,
          name,
          status: 'coming',
          status_since: isoTime(nowMs),
          status_message: null,
        } as const
        // First: the group goes with the row of the bin, and so does what belongs to it.
        await tx.updateTable('vm_group').set(set).where('id', '=', id).execute()
        const vmIds = await returnMembersOf(tx, id, projectId)
        const diskIds = await returnDisksOf(tx, id, nowMs)
        const item = await takeFromBin(tx, id)
        for (const vmId of vmIds) await resumeSchedules(tx, { vmId }, nowMs)
        await resumeSchedules(tx, { diskIds }, nowMs)
        const group = toGroup({ ...row, ...set })
        await record(tx, [entryOf(group, row.name)])
        return {
          group,
          vmIds,
          diskIds,
          freed: item?.attached.length ?? 0,
          endedShares: item?.ended_shares ?? 0,
          lacksSnapshot: await lacksSnapshot(tx, group),
        }
      })
    },
  }
}
