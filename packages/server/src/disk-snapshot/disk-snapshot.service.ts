import {
  type Disk,
  type DiskSnapshot,
  DiskSnapshotType,
  diskCan,
  type diskSnapshotApi,
  diskSnapshotRetention,
  diskSnapshotTexts,
  diskSnapshotTypeAllowed,
  type Limits,
  mayBegin,
  messages,
  type Parsed,
  snapshotCan,
} from '@slipway/contract'
import { type Entry, entry, wish } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { DiskSnapshotTable } from '../db/schema.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { takenBySchedule } from '../snapshot/snapshot.activity.ts'
import { fits, makeSnapshotAccess, type ScheduledSnapshot } from '../snapshot/snapshot.service.ts'
import type { DiskSnapshotRecord, DiskSnapshotRepo } from './disk-snapshot.repo.ts'

type DiskSnapshotBody = Parsed<typeof diskSnapshotApi.create>['body']
type DiskFromSnapshotBody = Parsed<typeof diskSnapshotApi.createDisk>['body']

export interface DiskSnapshotFilter {
  disk_name?: string | undefined
  disk_id?: string | undefined
  status?: string | undefined
}

const dayMs = 24 * 60 * 60_000

export type DiskSnapshotService = ReturnType<typeof makeDiskSnapshotService>

export interface DiskSnapshotServiceOptions {
  repo: DiskSnapshotRepo
  disks: DiskService
  quotas: Pick<QuotaService, 'require' | 'requireForReturn'>
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  /** What the engine cannot do. */
  cannot: Limits
  /** Whether a new disk is being made from a snapshot. */
  isInUse: (snapshotId: string, tx?: Tx) => Promise<boolean>
  kick: (snapshotId: string) => void
  changed: Changed
  jobs: Pick<JobBoard, 'find' | 'abort'>
  clock: Clock
}

export function makeDiskSnapshotService(options: DiskSnapshotServiceOptions) {
  const { repo, disks, cannot, isInUse, kick, changed, jobs, clock } = options

  const access = makeSnapshotAccess<DiskSnapshot, DiskSnapshotRecord>({
    repo,
    kick,
    jobs,
    clock,
    kind: 'disk_snapshot',
    changed,
    binDays: options.binDays,
    quotas: options.quotas,
    texts: { notFound: messages.diskSnapshotNotFound, inUse: diskSnapshotTexts.inUse },
    // What builds upon it is part of it until it was merged.
    isInUse: async ({ id, snapshot }, tx) =>
      (await isInUse(id, tx)) || (await repo.isChainBusy(snapshot.disk_id, tx)),
  })

  /** Stores a snapshot of a disk, as the disk is then, and has it made. */
  async function store(
    projectId: string,
    input: DiskSnapshotBody,
    {
      of = { schedule_id: null, scheduled: null },
      entryOf,
      given,
    }: {
      of?: Pick<DiskSnapshotTable, 'schedule_id' | 'scheduled'>
      entryOf: (row: DiskSnapshotTable) => Entry
      given?: ScheduledSnapshot['given']
    },
  ): Promise<DiskSnapshot> {
    require422(diskSnapshotTypeAllowed(input.snapshot_type, cannot), 'snapshot_type')
    const now = clock.now()
    const id = newId(now)
    const rowOf: Parameters<typeof repo.insert>[3] = (disk, nameTaken) => {
      if (!disk || disk.projectId !== projectId || disk.status === 'deleting')
        throw refuse('disk_id', diskSnapshotTexts.diskMissing)
      require409(diskCan.snapshot(disk))
      require409(mayBegin('diskSnapshot', disk.underWay))
      if (nameTaken)
        throw new Problem(409, `A disk snapshot named "${input.name}" already exists in this project`)
      return {
        id,
        project_id: projectId,
        disk_id: input.disk_id,
        disk_name: disk.name,
        name: input.name,
        description: input.description,
        size_bytes: disk.sizeBytes,
        stored_bytes: null,
        status: 'pending',
        status_message: null,
        status_since: isoTime(now),
        snapshot_type: input.snapshot_type,
        parent_id: null,
        consistency: null,
        retention_days: input.retention_days,
        expires_at: isoTime(now + input.retention_days * dayMs),
        ...of,
        bin_id: null,
        created_at: isoTime(now),
      }
    }
    await repo.insert(projectId, input.disk_id, input.name, rowOf, entryOf, async (tx) => {
      // How large it becomes, only the engine can tell when it is there.
      await options.quotas.require(tx, projectId, { snapshot_bytes: 1 })
      await given?.(tx, id)
    })
    return access.begin(projectId, id)
  }

  return {
    ...access,

    async list(projectId: string, filter: DiskSnapshotFilter): Promise<DiskSnapshot[]> {
      return (await access.list(projectId)).filter(
        (snapshot) =>
          fits(filter.disk_name, snapshot.disk_name) &&
          fits(filter.disk_id, snapshot.disk_id) &&
          fits(filter.status, snapshot.status),
      )
    },

    create(userId: string, projectId: string, input: DiskSnapshotBody): Promise<DiskSnapshot> {
      return store(projectId, input, {
        entryOf: ({ id, name, disk_name }) =>
          entry(
            clock.now(),
            { type: 'disk_snapshot', id, name, projectId },
            wish(userId, 'diskSnapshot.create', `Create snapshot ${name} of disk ${disk_name} requested`),
          ),
      })
    },

    /** Takes a snapshot for the schedule of a disk, which counts it in the same transaction. */
    take(
      projectId: string,
      diskId: string,
      { name, type, scheduleId, rhythm, given }: ScheduledSnapshot,
    ): Promise<DiskSnapshot> {
      const input = {
        name,
        description: '',
        disk_id: diskId,
        snapshot_type: DiskSnapshotType.parse(type),
        retention_days: diskSnapshotRetention.max,
      }
      return store(projectId, input, {
        of: { schedule_id: scheduleId, scheduled: rhythm },
        entryOf: (row) => takenBySchedule({ id: row.id, projectId, snapshot: row }, clock.now()),
        given,
      })
    },

    /** For downloads: a snapshot that is complete. */
    async requireReadable(projectId: string, id: string): Promise<{ id: string; name: string }> {
      const { snapshot } = await access.find(projectId, id)
      require409(snapshotCan.download(snapshot))
      return { id, name: snapshot.name }
    },

    async createDisk(
      userId: string,
      projectId: string,
      id: string,
      input: DiskFromSnapshotBody,
    ): Promise<Disk> {
      const record = await access.find(projectId, id)
      require409(snapshotCan.createDisk(record.snapshot))
      const { id: snapshotId, snapshot, sizeBytes } = record
      return disks.createFromSnapshot(
        userId,
        projectId,
        { id: snapshotId, name: snapshot.name, sizeBytes },
        {
          name: input.name,
          description: input.description,
          sizeGb: input.size_gb,
        },
      )
    },
  }
}
