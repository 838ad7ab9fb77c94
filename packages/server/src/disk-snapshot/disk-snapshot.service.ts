import {
  type Disk,
  type DiskSnapshot,
  diskCan,
  type diskSnapshotApi,
  diskSnapshotTexts,
  diskTexts,
  messages,
  type Parsed,
  snapshotCan,
} from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import type { Publish } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse, require409 } from '../lib/problem.ts'
import type { Progress } from '../lib/progress.ts'
import type { ProjectService } from '../project/project.service.ts'
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
  projects: ProjectService
  disks: DiskService
  /** Whether a new disk is being made from a snapshot. */
  isInUse: (snapshotId: string) => Promise<boolean>
  kick: (snapshotId: string) => void
  publish: Publish
  progress: Progress
  clock: Clock
}

type Present = DiskSnapshotRecord & { projectId: string }

const isPresent = (record: DiskSnapshotRecord | null, projectId: string | null): record is Present =>
  record !== null && projectId !== null && record.projectId === projectId && record.status !== 'deleting'

export function makeDiskSnapshotService(options: DiskSnapshotServiceOptions) {
  const { repo, projects, disks, isInUse, kick, publish, progress, clock } = options

  const wire = ({ snapshot, projectId }: Present): DiskSnapshot => ({
    ...snapshot,
    project_id: projectId,
    progress: snapshot.status === 'creating' ? progress.of(snapshot.id) : null,
  })

  async function find(userId: string, projectId: string, id: string): Promise<Present> {
    await projects.own(userId, projectId)
    const record = await repo.find(id)
    if (!isPresent(record, projectId)) throw new Problem(404, messages.diskSnapshotNotFound)
    return record
  }

  async function announce(record: DiskSnapshotRecord): Promise<void> {
    if (isPresent(record, record.projectId)) publish(record.projectId, 'disk_snapshot', wire(record))
  }

  function announceGone(record: DiskSnapshotRecord): void {
    if (record.projectId !== null)
      publish(record.projectId, 'disk_snapshot', { id: record.id, deleted: true })
  }

  return {
    announce,
    announceGone,

    async list(userId: string, projectId: string, filter: DiskSnapshotFilter): Promise<DiskSnapshot[]> {
      await projects.own(userId, projectId)
      const is = (wanted: string | undefined, value: string) =>
        !wanted || wanted.toLowerCase() === value.toLowerCase()
      return (await repo.list(projectId))
        .map((record) => wire({ ...record, projectId }))
        .filter(
          (snapshot) =>
            is(filter.disk_name, snapshot.disk_name) &&
            is(filter.disk_id, snapshot.disk_id) &&
            is(filter.status, snapshot.status),
        )
    },

    async create(userId: string, projectId: string, input: DiskSnapshotBody): Promise<DiskSnapshot> {
      await projects.own(userId, projectId)
      const now = clock.now()
      const id = newId(now)
      await repo.insert(projectId, input.disk_id, input.name, (disk, nameTaken) => {
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
          snapshot_type: input.snapshot_type,
          parent_id: null,
          consistency: null,
          retention_days: input.retention_days,
          expires_at: isoTime(now + input.retention_days * dayMs),
          created_at: isoTime(now),
        }
      })
      const record = await find(userId, projectId, id)
      kick(id)
      await announce(record)
      return wire(record)
    },

    /** Gone for the user at once; the reconciler merges it into what builds upon it and removes it. */
    async delete(userId: string, projectId: string, id: string): Promise<void> {
      const record = await find(userId, projectId, id)
      require409(snapshotCan.delete(record.snapshot))
      const busy = (await isInUse(id)) || (await repo.isChainBusy(record.snapshot.disk_id))
      const gone = busy ? null : await repo.change(id, ['ready', 'failed', 'error'], { status: 'deleting' })
      if (!gone) throw new Problem(409, diskSnapshotTexts.inUse)
      announceGone(record)
      kick(id)
    },

    async createDisk(
      userId: string,
      projectId: string,
      id: string,
      input: DiskFromSnapshotBody,
    ): Promise<Disk> {
      const record = await find(userId, projectId, id)
      require409(snapshotCan.createDisk(record.snapshot))
      return disks.createFromSnapshot(projectId, record, {
        name: input.name,
        description: input.description,
        sizeGb: input.size_gb,
      })
    },
  }
}
