import {
  nameBack,
  nameLimit,
  ScheduledRhythm,
  SnapshotConsistency,
  type UnderWay,
  type VmSnapshot,
  VmSnapshotStatus,
  wholeGi,
} from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { type Binned, putInBin, takeFromBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import type { VmSnapshotTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { readInTurns } from '../lib/turn.ts'
import { underWayOfVm } from '../under-way/under-way.conditions.ts'

const mebibyte = 1024 ** 2

export interface VmSnapshotRecord {
  id: string
  status: VmSnapshotStatus
  statusMessage: string | null
  /** Whether it is in the bin. */
  isKept: boolean
  /** Its project is in the bin: it does not expire. */
  rests: boolean
  storedBytes: number
  expiresAt: string
  snapshot: Omit<VmSnapshot, 'project_id' | 'progress'>
  /** Null once the project is gone; only the wish to delete it is left then. */
  projectId: string | null
  /** The account whose project it is. */
  ownerId: string | null
}

/** What a VM is when a snapshot of it is asked for. */
export interface SourceVm {
  status: string
  deleted: boolean
  projectId: string | null
  /** Which long changes are under way of it and its disks. */
  underWay: ReadonlySet<UnderWay>
}

/** What the engine says of a snapshot it made. */
export interface VmSnapshotMade {
  storedBytes: number
  consistency: SnapshotConsistency
  memory: boolean
  /** The disks that it holds: one may have left the VM, or come, after the snapshot was asked for. */
  volumeIds: readonly string[]
}

/** Written here, in this form. */
const disksIn = (text: string) => JSON.parse(text) as VmSnapshot['disks']

async function disksHeld(tx: Tx, id: string, { volumeIds }: VmSnapshotMade): Promise<string> {
  const row = await tx.selectFrom('vm_snapshot').select('disks').where('id', '=', id).executeTakeFirst()
  return JSON.stringify(disksIn(row?.disks ?? '[]').filter(({ disk_id }) => volumeIds.includes(disk_id)))
}

function toRecord(
  row: VmSnapshotTable & { owner_id: string | null; project_bin_id: string | null; name_now: string | null },
): VmSnapshotRecord {
  const status = VmSnapshotStatus.parse(row.status)
  return {
    id: row.id,
    status,
    statusMessage: row.status_message,
    isKept: row.bin_id !== null,
    rests: row.project_bin_id !== null,
    storedBytes: row.stored_bytes ?? 0,
    expiresAt: row.expires_at,
    projectId: row.project_id,
    ownerId: row.owner_id,
    snapshot: {
      id: row.id,
      name: row.name,
      description: row.description,
      status,
      status_message: row.status_message,
      status_since: row.status_since,
      vm_id: row.vm_id,
      // As it is called now, or was when it was deleted.
      vm_name: row.name_now ?? row.vm_name,
      snapshot_type: row.snapshot_type,
      has_memory: row.has_memory === 1,
      consistency: row.consistency === null ? null : SnapshotConsistency.parse(row.consistency),
      disks: disksIn(row.disks),
      automatic: row.automatic === 1,
      scheduled: row.scheduled === null ? null : ScheduledRhythm.parse(row.scheduled),
      size_mb: row.stored_bytes === null ? null : Math.max(1, Math.round(row.stored_bytes / mebibyte)),
      retention_days: row.retention_days,
      expires_at: row.expires_at,
      metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as VmSnapshot['metadata']),
      created_at: row.created_at,
    },
  }
}

export type VmSnapshotRepo = ReturnType<typeof makeVmSnapshotRepo>

export function makeVmSnapshotRepo(db: Db) {
  const records = (executor: Db = db) =>
    executor
      .selectFrom('vm_snapshot')
      .leftJoin('project', 'project.id', 'vm_snapshot.project_id')
      .leftJoin('bin as project_bin', 'project_bin.id', 'vm_snapshot.project_id')
      .leftJoin('vm', 'vm.id', 'vm_snapshot.vm_id')
      .selectAll('vm_snapshot')
      .select(['project.account_id as owner_id', 'vm.name as name_now', 'project_bin.id as project_bin_id'])

  async function find(id: string, executor: Db = db): Promise<VmSnapshotRecord | null> {
    const row = await records(executor).where('vm_snapshot.id', '=', id).executeTakeFirst()
    return row ? toRecord(row) : null
  }

  async function isReady(id: string, executor: Db): Promise<boolean> {
    const row = await executor
      .selectFrom('vm_snapshot')
      .select('id')
      .where('id', '=', id)
      .where('status', '=', 'ready')
      .executeTakeFirst()
    return row !== undefined
  }

  return {
    find: (id: string) => find(id),

    async findAll(ids: readonly string[]): Promise<VmSnapshotRecord[]> {
      return (await records().where('vm_snapshot.id', 'in', ids).execute()).map(toRecord)
    },

    /** The VM snapshots of a project that are not deleted, oldest first. */
    async list(projectId: string): Promise<VmSnapshotRecord[]> {
      return readInTurns(
        (after, most) =>
          records()
            .where('vm_snapshot.project_id', '=', projectId)
            .where('vm_snapshot.status', '!=', 'deleting')
            .where('vm_snapshot.id', '>', after)
            .orderBy('vm_snapshot.id')
            .limit(most)
            .execute(),
        toRecord,
      )
    },

    async all(): Promise<VmSnapshotRecord[]> {
      return (await records().execute()).map(toRecord)
    },

    /**
     * Stores a new snapshot of a VM with the disks the VM has in this moment. `allowed` sees the VM as it is then and
     * may throw to refuse, and so may `given`; `alongside` adds what is made of the snapshot, and may throw as well.
     */
    async insert(
      row: VmSnapshotTable,
      allowed: (vm: SourceVm | null) => void,
      entries: readonly Entry[],
      {
        given,
        alongside,
      }: {
        given?: (tx: Tx) => Promise<void>
        alongside?: (tx: Tx, disks: VmSnapshot['disks']) => Promise<void>
      },
    ): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const vm = await tx
          .selectFrom('vm')
          .select(['status', 'wanted_deleted', 'project_id'])
          .where('id', '=', row.vm_id)
          .executeTakeFirst()
        const source = vm && {
          status: vm.status,
          deleted: vm.wanted_deleted === 1,
          projectId: vm.project_id,
          underWay: await underWayOfVm(tx, row.vm_id),
        }
        allowed(source ?? null)
        await given?.(tx)
        const disks = await tx
          .selectFrom('disk')
          .select(['id', 'name', 'size_bytes'])
          .where('vm_id', '=', row.vm_id)
          .where('status', '=', 'attached')
          .orderBy('id')
          .execute()
        const held: VmSnapshot['disks'] = disks.map((disk) => ({
          disk_id: disk.id,
          name: disk.name,
          size: `${wholeGi(disk.size_bytes)}Gi`,
        }))
        await tx
          .insertInto('vm_snapshot')
          .values({ ...row, disks: JSON.stringify(held) })
          .execute()
        await record(tx, entries)
        await alongside?.(tx, held)
      })
    },

    isReady,

    /** Adds what is made of a snapshot while that is ready; false when it is not any more. */
    whileReady(id: string, add: (tx: Tx) => Promise<void>): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        const isStill = await isReady(id, tx)
        if (isStill) await add(tx)
        return isStill
      })
    },

    /**
     * Changes a snapshot that still has one of these statuses, and records it; null when it has not, or when `given`
     * says no, which is asked in the same transaction.
     */
    change(
      id: string,
      nowMs: number,
      from: readonly VmSnapshotStatus[],
      {
        made,
        keep,
        ...change
      }: {
        status?: VmSnapshotStatus
        status_message?: string | null
        made?: VmSnapshotMade
        /** Who deletes it, to be kept in the bin. */
        keep?: Pick<Binned, 'deletedBy' | 'days'>
      },
      entry: Entry | null,
      given?: (tx: Tx) => Promise<boolean>,
    ): Promise<VmSnapshotRecord | null> {
      return db.transaction().execute(async (tx) => {
        if (given && !(await given(tx))) return null
        const result = await tx
          .updateTable('vm_snapshot')
          .set({
            ...change,
            ...(change.status !== undefined && { status_since: isoTime(nowMs) }),
            ...(keep && { bin_id: id }),
            ...(made && {
              stored_bytes: made.storedBytes,
              consistency: made.consistency,
              has_memory: made.memory ? 1 : 0,
              disks: await disksHeld(tx, id, made),
            }),
          })
          .where('id', '=', id)
          .where('status', 'in', from)
          .executeTakeFirst()
        if (result.numUpdatedRows !== 1n) return null
        if (entry) await record(tx, [entry])
        const after = await find(id, tx)
        if (keep && after?.projectId != null) {
          const { projectId, snapshot } = after
          await putInBin(tx, { id, projectId, kind: 'vm_snapshot', name: snapshot.name, ...keep }, nowMs)
        }
        return after
      })
    },

    /**
     * Brings a snapshot back from the bin as one that is ready; what became of its data shows by itself. Null when it is not
     * there any more. `given` may throw to refuse.
     */
    comeBack(
      id: string,
      projectId: string,
      nowMs: number,
      {
        leastExpiresAt,
        given,
        entryOf,
      }: {
        /** ISO 8601. */
        leastExpiresAt: string
        given: (tx: Tx, record: VmSnapshotRecord) => Promise<void>
        entryOf: (before: VmSnapshotRecord, name: string) => Entry
      },
    ): Promise<VmSnapshotRecord | null> {
      return db.transaction().execute(async (tx) => {
        const before = await find(id, tx)
        if (before?.projectId !== projectId || !before.isKept || !(await takeFromBin(tx, id))) return null
        await given(tx, before)
        const others = await tx
          .selectFrom('vm_snapshot')
          .select('name')
          .where('project_id', '=', projectId)
          .where('status', '!=', 'deleting')
          .execute()
        const name = nameBack(
          before.snapshot.name,
          others.map((other) => other.name),
          nameLimit,
        )
        await tx
          .updateTable('vm_snapshot')
          .set({
            bin_id: null,
            name,
            status: 'ready',
            status_since: isoTime(nowMs),
            status_message: null,
            expires_at: before.expiresAt < leastExpiresAt ? leastExpiresAt : before.expiresAt,
            // Its schedule would thin it out again.
            schedule_id: null,
            scheduled: null,
          })
          .where('id', '=', id)
          .execute()
        await record(tx, [entryOf(before, name)])
        return find(id, tx)
      })
    },

    async remove(id: string, entry: Entry): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('vm_snapshot')
          .where('id', '=', id)
          .where('status', '=', 'deleting')
          .where('bin_id', 'is', null)
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 1n) await record(tx, [entry])
      })
    },

    /** Whether another snapshot of a VM is being made, or was asked for earlier. */
    async isBehind(record: VmSnapshotRecord): Promise<boolean> {
      const row = await db
        .selectFrom('vm_snapshot')
        .select('id')
        .where('vm_id', '=', record.snapshot.vm_id)
        .where('status', 'in', ['pending', 'creating'])
        .where('id', '<', record.id)
        .executeTakeFirst()
      return row !== undefined
    },

    /** The disks that a VM has now. */
    attachedNow: (vmId: string, tx: Tx): Promise<{ disk_id: string; name: string }[]> =>
      tx
        .selectFrom('disk')
        .select(['id as disk_id', 'name'])
        .where('vm_id', '=', vmId)
        .orderBy('id')
        .execute(),
  }
}
