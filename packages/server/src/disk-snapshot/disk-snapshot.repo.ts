import {
  type DiskSnapshot,
  DiskSnapshotStatus,
  nameBack,
  nameLimit,
  ScheduledRhythm,
  SnapshotConsistency,
  type UnderWay,
  VmSnapshotStatus,
  wholeGi,
} from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { type Binned, putInBin, takeFromBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import type { DiskSnapshotTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { readInTurns } from '../lib/turn.ts'
import { underWayOfDisk } from '../under-way/under-way.conditions.ts'

const mebibyte = 1024 ** 2

export interface DiskSnapshotRecord {
  id: string
  status: VmSnapshotStatus
  statusMessage: string | null
  /** Whether it is in the bin. */
  isKept: boolean
  /** Its project is in the bin: it does not expire. */
  rests: boolean
  storedBytes: number
  expiresAt: string
  snapshot: Omit<DiskSnapshot, 'project_id' | 'progress'>
  /** Null once the project is gone; only the wish to delete it is left then. */
  projectId: string | null
  /** The account whose project it is. */
  ownerId: string | null
  sizeBytes: number
}

/** What the engine says of a snapshot it made. */
export interface DiskSnapshotMade {
  storedBytes: number
  consistency: SnapshotConsistency
  parentId: string | null
}

function toRecord(
  row: DiskSnapshotTable & { owner_id: string | null; project_bin_id: string | null },
): DiskSnapshotRecord {
  return {
    id: row.id,
    // Stored in the words of VM snapshots, which are one more.
    status: VmSnapshotStatus.parse(row.status),
    statusMessage: row.status_message,
    isKept: row.bin_id !== null,
    rests: row.project_bin_id !== null,
    storedBytes: row.stored_bytes ?? 0,
    expiresAt: row.expires_at,
    projectId: row.project_id,
    ownerId: row.owner_id,
    sizeBytes: row.size_bytes,
    snapshot: {
      id: row.id,
      name: row.name,
      description: row.description,
      disk_id: row.disk_id,
      disk_name: row.disk_name,
      size: `${wholeGi(row.size_bytes)}Gi`,
      stored_mb: row.stored_bytes === null ? null : Math.max(1, Math.round(row.stored_bytes / mebibyte)),
      // The wire has no word for what waits for its turn, and none for what is on its way out.
      status: DiskSnapshotStatus.catch('creating').parse(row.status),
      status_message: row.status_message,
      status_since: row.status_since,
      snapshot_type: row.snapshot_type,
      parent_id: row.parent_id,
      consistency: row.consistency === null ? null : SnapshotConsistency.parse(row.consistency),
      scheduled: row.scheduled === null ? null : ScheduledRhythm.parse(row.scheduled),
      retention_days: row.retention_days,
      expires_at: row.expires_at,
      created_at: row.created_at,
    },
  }
}

export type DiskSnapshotRepo = ReturnType<typeof makeDiskSnapshotRepo>

/** What a disk is when a snapshot of it is asked for. */
export interface SourceDisk {
  projectId: string | null
  status: string
  vm_id: string | null
  /** Which long changes are under way of it, and of its VM as a whole. */
  underWay: ReadonlySet<UnderWay>
  name: string
  sizeBytes: number
}

export function makeDiskSnapshotRepo(db: Db) {
  const records = (executor: Db = db) =>
    executor
      .selectFrom('disk_snapshot')
      .leftJoin('project', 'project.id', 'disk_snapshot.project_id')
      .leftJoin('bin as project_bin', 'project_bin.id', 'disk_snapshot.project_id')
      .selectAll('disk_snapshot')
      .select(['project.account_id as owner_id', 'project_bin.id as project_bin_id'])

  async function find(id: string, executor: Db = db): Promise<DiskSnapshotRecord | null> {
    const row = await records(executor).where('disk_snapshot.id', '=', id).executeTakeFirst()
    return row ? toRecord(row) : null
  }

  const underWay = ['pending', 'creating']

  return {
    find: (id: string) => find(id),

    async findAll(ids: readonly string[]): Promise<DiskSnapshotRecord[]> {
      return (await records().where('disk_snapshot.id', 'in', ids).execute()).map(toRecord)
    },

    /** The disk snapshots of a project that are not deleted, oldest first. */
    async list(projectId: string): Promise<DiskSnapshotRecord[]> {
      return readInTurns(
        (after, most) =>
          records()
            .where('disk_snapshot.project_id', '=', projectId)
            .where('disk_snapshot.status', '!=', 'deleting')
            .where('disk_snapshot.id', '>', after)
            .orderBy('disk_snapshot.id')
            .limit(most)
            .execute(),
        toRecord,
      )
    },

    async all(): Promise<DiskSnapshotRecord[]> {
      return (await records().execute()).map(toRecord)
    },

    /** Stores a new snapshot; `rowOf` sees its disk as it is then and may throw to refuse, and so may `given`. */
    async insert(
      projectId: string,
      diskId: string,
      name: string,
      rowOf: (disk: SourceDisk | null, nameTaken: boolean) => DiskSnapshotTable,
      tell: (row: DiskSnapshotTable) => Entry,
      given: (tx: Tx) => Promise<void>,
    ): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const disk = await tx.selectFrom('disk').selectAll().where('id', '=', diskId).executeTakeFirst()
        const taken = await tx
          .selectFrom('disk_snapshot')
          .select('id')
          .where('project_id', '=', projectId)
          .where('name', '=', name)
          .where('status', '!=', 'deleting')
          .executeTakeFirst()
        const source = disk && {
          projectId: disk.project_id,
          status: disk.status,
          vm_id: disk.vm_id,
          underWay: await underWayOfDisk(tx, diskId, disk.vm_id),
          name: disk.name,
          sizeBytes: disk.size_bytes,
        }
        const row = rowOf(source ?? null, taken !== undefined)
        await given(tx)
        await tx.insertInto('disk_snapshot').values(row).execute()
        await record(tx, [tell(row)])
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
        made?: DiskSnapshotMade
        /** Who deletes it, to be kept in the bin. */
        keep?: Pick<Binned, 'deletedBy' | 'days'>
      },
      entry: Entry | null,
      given?: (tx: Tx) => Promise<boolean>,
    ): Promise<DiskSnapshotRecord | null> {
      return db.transaction().execute(async (tx) => {
        if (given && !(await given(tx))) return null
        const result = await tx
          .updateTable('disk_snapshot')
          .set({
            ...change,
            ...(change.status !== undefined && { status_since: isoTime(nowMs) }),
            ...(keep && { bin_id: id }),
            ...(made && {
              stored_bytes: made.storedBytes,
              consistency: made.consistency,
              parent_id: made.parentId,
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
          await putInBin(tx, { id, projectId, kind: 'disk_snapshot', name: snapshot.name, ...keep }, nowMs)
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
        given: (tx: Tx, record: DiskSnapshotRecord) => Promise<void>
        entryOf: (before: DiskSnapshotRecord, name: string) => Entry
      },
    ): Promise<DiskSnapshotRecord | null> {
      return db.transaction().execute(async (tx) => {
        const before = await find(id, tx)
        if (before?.projectId !== projectId || !before.isKept || !(await takeFromBin(tx, id))) return null
        await given(tx, before)
        const others = await tx
          .selectFrom('disk_snapshot')
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
          .updateTable('disk_snapshot')
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

    /** Those that build upon it build upon its parent from now on, as the engine has it; they are returned. */
    async remove(id: string, entry: Entry): Promise<DiskSnapshotRecord[]> {
      return db.transaction().execute(async (tx) => {
        const row = await tx
          .selectFrom('disk_snapshot')
          .select('parent_id')
          .where('id', '=', id)
          .where('status', '=', 'deleting')
          .where('bin_id', 'is', null)
          .executeTakeFirst()
        if (!row) return []
        const children = await records(tx).where('parent_id', '=', id).execute()
        await tx
          .updateTable('disk_snapshot')
          .set({ parent_id: row.parent_id })
          .where('parent_id', '=', id)
          .execute()
        await tx.deleteFrom('disk_snapshot').where('id', '=', id).execute()
        await record(tx, [entry])
        return children.map((child) => toRecord({ ...child, parent_id: row.parent_id }))
      })
    },

    /** The newest ready snapshot of a disk, which an incremental one builds upon. */
    async newestOf(diskId: string): Promise<string | null> {
      const row = await db
        .selectFrom('disk_snapshot')
        .select('id')
        .where('disk_id', '=', diskId)
        .where('status', '=', 'ready')
        .orderBy('id', 'desc')
        .executeTakeFirst()
      return row?.id ?? null
    },

    /** Whether others build upon a snapshot. */
    async hasChildren(id: string): Promise<boolean> {
      const row = await db
        .selectFrom('disk_snapshot')
        .select('id')
        .where('parent_id', '=', id)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether another snapshot of the disk is being made or was asked for earlier, or one is being merged. */
    async isBehind(record: DiskSnapshotRecord): Promise<boolean> {
      const row = await db
        .selectFrom('disk_snapshot')
        .select('id')
        .where('disk_id', '=', record.snapshot.disk_id)
        .where('bin_id', 'is', null)
        .where('status', 'in', [...underWay, 'deleting'])
        .where('id', '<', record.id)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Whether the chain a snapshot is part of is being changed: a snapshot of its disk is made or merged. */
    async isChainBusy(diskId: string, executor: Db): Promise<boolean> {
      const row = await executor
        .selectFrom('disk_snapshot')
        .select('id')
        .where('disk_id', '=', diskId)
        .where('bin_id', 'is', null)
        .where('status', 'in', [...underWay, 'deleting'])
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
