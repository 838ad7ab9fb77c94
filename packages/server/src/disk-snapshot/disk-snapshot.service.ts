import {
  type Disk,
  type DiskSnapshot,
  diskCan,
  type diskSnapshotApi,
  diskSnapshotTexts,
  diskSnapshotTypeAllowed,
  diskTexts,
  type Limits,
  messages,
  type Parsed,
  snapshotCan,
} from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { DiskService } from '../disk/disk.service.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { fits, makeSnapshotAccess } from '../snapshot/snapshot.service.ts'
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
  quotas: Pick<QuotaService, 'require'>
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
    changed: (projectId, id) => changed('disk_snapshot', projectId, id),
    texts: { notFound: messages.diskSnapshotNotFound, inUse: diskSnapshotTexts.inUse },
    // What builds upon it is part of it until it was merged.
    isInUse: async ({ id, snapshot }, tx) =>
      (await isInUse(id, tx)) || (await repo.isChainBusy(snapshot.disk_id, tx)),
  })

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

    async create(userId: string, projectId: string, input: DiskSnapshotBody): Promise<DiskSnapshot> {
      require422(diskSnapshotTypeAllowed(input.snapshot_type, cannot), 'snapshot_type')
      const now = clock.now()
      const id = newId(now)
      const tell = ({ name, disk_name }: { name: string; disk_name: string }) =>
        entry(
          now,
          { type: 'disk_snapshot', id, name, projectId },
          wish(userId, 'diskSnapshot.create', `Create snapshot ${name} of disk ${disk_name} requested`),
        )
      const rowOf: Parameters<typeof repo.insert>[3] = (disk, nameTaken) => {
        if (!disk || disk.projectId !== projectId || disk.status === 'deleting')
          throw refuse('disk_id', diskSnapshotTexts.diskMissing)
        require409(diskCan.snapshot(disk))
        if (disk.detaching) throw new Problem(409, diskTexts.beingDetached)
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
          created_at: isoTime(now),
        }
      }
      await repo.insert(projectId, input.disk_id, input.name, rowOf, tell, (tx) =>
        // How large it becomes, only the engine can tell when it is there.
        options.quotas.require(tx, projectId, { snapshot_bytes: 1 }),
      )
      return access.begin(projectId, id)
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
