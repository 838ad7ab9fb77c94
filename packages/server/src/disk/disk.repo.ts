import { DiskStatus, disksPerVm, type UnderWay, wholeGi } from '@slipway/contract'
import type { Selectable } from 'kysely'
import { sql } from 'kysely'
import { change as becomes, type Entry, entry } from '../activity/entry.ts'
import { record } from '../activity/record.ts'
import { type Binned, putInBin, takeFromBin } from '../bin/bin.writes.ts'
import type { Db, Tx } from '../db/open.ts'
import type { DiskTable } from '../db/schema.ts'
import { isoTime } from '../lib/clock.ts'
import { readInTurns } from '../lib/turn.ts'
import { underWayOfDisk } from '../under-way/under-way.conditions.ts'
import { diskNews, diskSubject } from './disk.activity.ts'
import type { DiskRecord } from './disk.state.ts'
import { insertDisks } from './disk.writes.ts'

/** The words of lists for those of requests (catalogue G-061). */
const listWordOf = {
  EMPTY: 'blank',
  HTTP: 'image',
  REGISTRY: 'image',
  SNAPSHOT: 'snapshot',
  UPLOAD: 'upload',
} as const

/** Null for a disk that is not made from a file. */
interface UploadOfDisk {
  received_bytes: number | null
  file_bytes: number | null
  file_sha256: string | null
  last_received_at: string | null
}

function toRecord(
  row: Selectable<DiskTable> & { vm_name: string | null; owner_id: string | null } & UploadOfDisk,
): DiskRecord {
  const status = DiskStatus.parse(row.status)
  return {
    disk: {
      id: row.id,
      name: row.name,
      description: row.description,
      status,
      status_message: row.status_message,
      status_since: row.status_since,
      size: `${wholeGi(row.size_bytes)}Gi`,
      size_gb: wholeGi(row.size_bytes),
      next_size_gb: row.next_size_bytes === null ? null : wholeGi(row.next_size_bytes),
      disk_type: 'standard',
      source: listWordOf[row.source],
      image_url: row.image_url,
      image_sha256: row.image_sha256,
      vm_id: row.vm_id,
      vm_name: row.vm_name,
      deleted_with_vm: row.owner_vm_id !== null,
      created_at: row.created_at,
    },
    projectId: row.project_id,
    ownerId: row.owner_id,
    ownerVmId: row.owner_vm_id,
    facts: {
      status,
      isKept: row.bin_id !== null,
      vmId: row.vm_id,
      plugged: row.plugged === 1,
      detaching: row.detaching === 1,
      growth: row.next_size_bytes === null ? 'none' : 'wanted',
      troubled: row.status_message !== null,
    },
    origin: {
      source: row.source,
      image_url: row.image_url,
      snapshot_id: row.snapshot_id,
      snapshot_kind: row.snapshot_kind,
      snapshot_disk_id: row.snapshot_disk_id,
    },
    sizeBytes: row.size_bytes,
    nextSizeBytes: row.next_size_bytes,
    upload:
      row.file_bytes === null
        ? null
        : {
            received: row.received_bytes ?? 0,
            bytes: row.file_bytes,
            sha256: row.file_sha256,
            lastReceivedAt: row.last_received_at ?? row.created_at,
          },
  }
}

/** A snapshot a disk can be made from. */
export interface SourceSnapshot {
  id: string
  kind: 'machine' | 'volume'
  status: string
  sizeBytes: number
}

/** The time of a status follows from it. */
export type DiskChange = Partial<Omit<DiskTable, 'status_since'>>

export type DiskRepo = ReturnType<typeof makeDiskRepo>

export function makeDiskRepo(db: Db) {
  const records = (executor: Db = db) =>
    executor
      .selectFrom('disk')
      .leftJoin('vm', 'vm.id', 'disk.vm_id')
      .leftJoin('project', 'project.id', 'disk.project_id')
      .leftJoin('upload', 'upload.disk_id', 'disk.id')
      .selectAll('disk')
      .select(['vm.name as vm_name', 'project.account_id as owner_id'])
      .select(['upload.received_bytes', 'upload.file_bytes', 'upload.last_received_at'])
      .select('upload.sha256 as file_sha256')

  async function find(id: string, executor: Db = db): Promise<DiskRecord | null> {
    const row = await records(executor).where('disk.id', '=', id).executeTakeFirst()
    return row ? toRecord(row) : null
  }

  return {
    find: (id: string) => find(id),

    async findAll(ids: readonly string[]): Promise<DiskRecord[]> {
      return (await records().where('disk.id', 'in', ids).execute()).map(toRecord)
    },

    /** The disks of a project that are not deleted, oldest first. */
    async list(projectId: string): Promise<DiskRecord[]> {
      return readInTurns(
        (after, most) =>
          records()
            .where('disk.project_id', '=', projectId)
            .where('disk.status', '!=', 'deleting')
            .where('disk.id', '>', after)
            .orderBy('disk.id')
            .limit(most)
            .execute(),
        toRecord,
      )
    },

    /** The disks that are on a VM, oldest first. */
    async ofVm(vmId: string): Promise<DiskRecord[]> {
      const rows = await records()
        .where('disk.vm_id', '=', vmId)
        .where('disk.status', '!=', 'deleting')
        .orderBy('disk.id')
        .execute()
      return rows.map(toRecord)
    },

    /** The disks that are on the members of a group, oldest first. */
    async ofGroup(groupId: string): Promise<DiskRecord[]> {
      const rows = await records()
        .where('vm.group_id', '=', groupId)
        .where('disk.status', '!=', 'deleting')
        .orderBy('disk.id')
        .execute()
      return rows.map(toRecord)
    },

    /** Every disk there is, those on their way out included. */
    async all(): Promise<DiskRecord[]> {
      return (await records().execute()).map(toRecord)
    },

    /**
     * Stores a new disk; false when the snapshot it is to be made from is not ready any more. `given` may throw to refuse;
     * `along` stores what belongs to it.
     */
    async insert(
      row: DiskTable,
      entry: Entry,
      given: (tx: Tx) => Promise<void>,
      along: (tx: Tx) => Promise<void> = async () => {},
    ): Promise<boolean> {
      return db.transaction().execute(async (tx) => {
        await given(tx)
        if (row.snapshot_id !== null && !(await isReady(tx, row.snapshot_kind, row.snapshot_id))) return false
        await insertDisks(tx, [row])
        await along(tx)
        await record(tx, [entry])
        return true
      })
    },

    /**
     * Changes a disk that still has one of these statuses, or for which a rule still holds, by what it is then; null when
     * that is not so. A status that is new is recorded, and so is what `tell` has to say beside.
     */
    change(
      id: string,
      nowMs: number,
      from: readonly DiskStatus[] | ((disk: DiskRecord) => boolean),
      change: DiskChange | ((disk: DiskRecord) => DiskChange),
      tell: (disk: DiskRecord) => Entry[] = () => [],
    ): Promise<DiskRecord | null> {
      return db.transaction().execute(async (tx) => {
        const before = await find(id, tx)
        if (!before) return null
        if (typeof from === 'function' ? !from(before) : !from.includes(before.facts.status)) return null
        const to = typeof change === 'function' ? change(before) : change
        const isNew = to.status !== undefined && to.status !== before.facts.status
        await tx
          .updateTable('disk')
          .set({ ...to, ...(isNew && { status_since: isoTime(nowMs) }) })
          .where('id', '=', id)
          .execute()
        const after = await find(id, tx)
        if (after) await record(tx, [...diskNews(before, after, nowMs), ...tell(after)])
        return after
      })
    },

    /** Runs checks and a change with nobody in between; `tx` knows the disk as it is now. */
    exclusively<T>(
      id: string,
      work: (tx: {
        record: DiskRecord | null
        /** Which long changes are under way of it, and of the VM that it is on or is to be put on. */
        underWay: (vmId?: string) => Promise<ReadonlySet<UnderWay>>
        /** For what others ask within it. */
        within: Tx
        /** Puts it into the bin. */
        keep: (
          item: Pick<Binned, 'projectId' | 'name' | 'deletedBy' | 'days'>,
          nowMs: number,
        ) => Promise<void>
        /** False when it is not in the bin any more. */
        takeOut: () => Promise<boolean>
        /** What the disks of a project are called. */
        names: (projectId: string) => Promise<string[]>
        vm: (vmId: string) => Promise<{
          name: string
          projectId: string | null
          status: string
          disks: number
          deleted: boolean
        } | null>
        set: (change: DiskChange, entry: Entry) => Promise<void>
      }) => Promise<T>,
    ): Promise<T> {
      return db.transaction().execute(async (tx) =>
        work({
          record: await find(id, tx),
          underWay: (vmId) => underWayOfDisk(tx, id, vmId ?? null),
          within: tx,
          keep: (item, nowMs) => putInBin(tx, { id, kind: 'disk', ...item }, nowMs),
          takeOut: async () => (await takeFromBin(tx, id)) !== null,
          async names(projectId) {
            const rows = await tx
              .selectFrom('disk')
              .select('name')
              .where('project_id', '=', projectId)
              .where('status', '!=', 'deleting')
              .execute()
            return rows.map(({ name }) => name)
          },
          async vm(vmId) {
            const vm = await tx
              .selectFrom('vm')
              .select(['name', 'project_id', 'status', 'wanted_deleted'])
              .where('id', '=', vmId)
              .executeTakeFirst()
            if (!vm) return null
            const { n } = await tx
              .selectFrom('disk')
              .select((e) => e.fn.countAll<number>().as('n'))
              .where('vm_id', '=', vmId)
              .executeTakeFirstOrThrow()
            return {
              name: vm.name,
              projectId: vm.project_id,
              status: vm.status,
              disks: Number(n),
              deleted: vm.wanted_deleted === 1,
            }
          },
          async set(change, entry) {
            const since = change.status === undefined ? {} : { status_since: isoTime(entry.at) }
            await tx
              .updateTable('disk')
              .set({ ...change, ...since })
              .where('id', '=', id)
              .execute()
            await record(tx, [entry])
          },
        }),
      )
    },

    async remove(id: string, nowMs: number): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const gone = await tx
          .deleteFrom('disk')
          .where('id', '=', id)
          .where('status', '=', 'deleting')
          .where('bin_id', 'is', null)
          .returning(['id', 'name', 'project_id'])
          .executeTakeFirst()
        if (!gone) return
        const told = becomes('disk.deleted', `Disk ${gone.name} was deleted`)
        await record(tx, [entry(nowMs, diskSubject(gone, gone.project_id), told)])
      })
    },

    /**
     * The snapshot of a project with that id, or else the one a name stands for: a disk snapshot, else the newest VM
     * snapshot, ready ones before others (catalogue G-053).
     */
    async findSource(
      projectId: string,
      wanted: { id: string } | { name: string },
    ): Promise<SourceSnapshot | null> {
      const [column, value] = 'id' in wanted ? (['id', wanted.id] as const) : (['name', wanted.name] as const)
      const volumes = await db
        .selectFrom('disk_snapshot')
        .select(['id', 'status', 'size_bytes'])
        .where('project_id', '=', projectId)
        .where('status', '!=', 'deleting')
        .where(column, '=', value)
        .execute()
      const machines = await db
        .selectFrom('vm_snapshot')
        .select(['id', 'status'])
        .where('project_id', '=', projectId)
        .where('status', '!=', 'deleting')
        .where(column, '=', value)
        .orderBy('id', 'desc')
        .execute()
      const all: SourceSnapshot[] = [
        ...volumes.map((row) => ({ ...row, kind: 'volume' as const, sizeBytes: row.size_bytes })),
        ...machines.map((row) => ({ ...row, kind: 'machine' as const, sizeBytes: 0 })),
      ]
      return all.find(({ status }) => status === 'ready') ?? all[0] ?? null
    },

    /** How many more disks a VM takes. */
    roomOn: (vm: { disks: number }): number => disksPerVm - vm.disks,

    /** Whether a disk is being made from that snapshot now. */
    /** Whether the VM snapshot that a disk is made from is not made itself yet. */
    async isSourceComing({ origin }: DiskRecord): Promise<boolean> {
      if (origin.snapshot_kind !== 'machine') return false
      const row = await db
        .selectFrom('vm_snapshot')
        .select('id')
        .where('id', '=', origin.snapshot_id)
        .where('status', 'in', ['pending', 'creating'])
        .executeTakeFirst()
      return row !== undefined
    },

    async isSourceInUse(snapshotId: string, executor: Db = db): Promise<boolean> {
      const row = await executor
        .selectFrom('disk')
        .select(sql<number>`1`.as('one'))
        .where('snapshot_id', '=', snapshotId)
        .where('status', '=', 'creating')
        .executeTakeFirst()
      return row !== undefined
    },
  }
}

async function isReady(tx: Tx, kind: DiskTable['snapshot_kind'], id: string): Promise<boolean> {
  const table = kind === 'machine' ? 'vm_snapshot' : 'disk_snapshot'
  const row = await tx
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .where('status', '=', 'ready')
    .executeTakeFirst()
  return row !== undefined
}
