import {
  messages,
  type Parsed,
  snapshotCan,
  type Vm,
  type VmSnapshot,
  vmCan,
  type vmSnapshotApi,
  vmSnapshotTexts,
} from '@slipway/contract'
import type { Publish } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { Problem, refuse, require409 } from '../lib/problem.ts'
import type { Progress } from '../lib/progress.ts'
import type { ProjectService } from '../project/project.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { VmSnapshotRecord, VmSnapshotRepo } from './vm-snapshot.repo.ts'

type VmSnapshotBody = Parsed<typeof vmSnapshotApi.create>['body']

export interface VmSnapshotFilter {
  vm_name?: string | undefined
  vm_id?: string | undefined
  status?: string | undefined
}

const dayMs = 24 * 60 * 60_000

export type VmSnapshotService = ReturnType<typeof makeVmSnapshotService>

export interface VmSnapshotServiceOptions {
  repo: VmSnapshotRepo
  projects: ProjectService
  vms: VmService
  /** Whether a restore or a new disk reads a snapshot. */
  isInUse: (snapshotId: string) => Promise<boolean>
  kick: (snapshotId: string) => void
  publish: Publish
  progress: Progress
  clock: Clock
}

type Present = VmSnapshotRecord & { projectId: string }

const isPresent = (record: VmSnapshotRecord | null, projectId: string | null): record is Present =>
  record !== null && projectId !== null && record.projectId === projectId && record.status !== 'deleting'

export function makeVmSnapshotService(options: VmSnapshotServiceOptions) {
  const { repo, projects, vms, isInUse, kick, publish, progress, clock } = options

  const wire = ({ snapshot, projectId }: Present): VmSnapshot => ({
    ...snapshot,
    project_id: projectId,
    progress: snapshot.status === 'creating' ? progress.of(snapshot.id) : null,
  })

  async function find(userId: string, projectId: string, id: string): Promise<Present> {
    await projects.own(userId, projectId)
    const record = await repo.find(id)
    if (!isPresent(record, projectId)) throw new Problem(404, messages.vmSnapshotNotFound)
    return record
  }

  async function announce(record: VmSnapshotRecord): Promise<void> {
    if (isPresent(record, record.projectId)) publish(record.projectId, 'vm_snapshot', wire(record))
  }

  function announceGone(record: VmSnapshotRecord): void {
    if (record.projectId !== null) publish(record.projectId, 'vm_snapshot', { id: record.id, deleted: true })
  }

  return {
    announce,
    announceGone,

    async announceById(id: string): Promise<void> {
      const record = await repo.find(id)
      if (record) await announce(record)
    },

    async list(userId: string, projectId: string, filter: VmSnapshotFilter): Promise<VmSnapshot[]> {
      await projects.own(userId, projectId)
      const is = (wanted: string | undefined, value: string) =>
        !wanted || wanted.toLowerCase() === value.toLowerCase()
      return (await repo.list(projectId))
        .map((record) => wire({ ...record, projectId }))
        .filter(
          (snapshot) =>
            is(filter.vm_name, snapshot.vm_name) &&
            is(filter.vm_id, snapshot.vm_id) &&
            is(filter.status, snapshot.status),
        )
    },

    async create(
      userId: string,
      projectId: string,
      vmId: string,
      input: VmSnapshotBody,
    ): Promise<VmSnapshot> {
      const vm = await vms.get(userId, projectId, vmId)
      const now = clock.now()
      const id = newId(now)
      const allowed = (seen: { status: string; deleted: boolean; projectId: string | null } | null) => {
        if (!seen || seen.deleted || seen.projectId !== projectId) throw new Problem(404, messages.vmNotFound)
        require409(vmCan.snapshot(seen))
      }
      await repo.insert(
        {
          id,
          project_id: projectId,
          vm_id: vmId,
          vm_name: vm.name,
          name: input.name,
          description: input.description,
          status: 'pending',
          status_message: null,
          // Skipping wins (catalogue G-092).
          snapshot_type: input.skip_memory_snapshot ? 'disk' : input.snapshot_type,
          has_memory: 0,
          consistency: null,
          disks: '[]',
          automatic: 0,
          stored_bytes: null,
          retention_days: input.retention_days,
          expires_at: isoTime(now + input.retention_days * dayMs),
          metadata: input.metadata ? JSON.stringify(input.metadata) : null,
          created_at: isoTime(now),
        },
        allowed,
      )
      const record = await find(userId, projectId, id)
      kick(id)
      await announce(record)
      return wire(record)
    },

    async restore(
      userId: string,
      projectId: string,
      snapshotId: string,
      vmId: string,
    ): Promise<{ message: string; vm: Vm }> {
      const { snapshot } = await find(userId, projectId, snapshotId)
      if (snapshot.vm_id !== vmId) throw refuse('vm_id', vmSnapshotTexts.otherVm)
      require409(snapshotCan.restore(snapshot))
      const vm = await vms.get(userId, projectId, vmId).catch((error: unknown) => {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      })
      if (!vm) throw new Problem(409, vmSnapshotTexts.vmGone)
      require409(vmCan.restore(vm))
      if (snapshot.has_memory) await requireDisks(snapshot)
      const to = { snapshotId, safetyId: newId(clock.now()) }
      return {
        message: vmSnapshotTexts.restoring,
        vm: await vms.restore(userId, projectId, vmId, to),
      }
    },

    async delete(userId: string, projectId: string, snapshotId: string): Promise<void> {
      const record = await find(userId, projectId, snapshotId)
      require409(snapshotCan.delete(record.snapshot))
      if (await isInUse(snapshotId)) throw new Problem(409, vmSnapshotTexts.inUse)
      const gone = await repo.change(snapshotId, ['ready', 'failed', 'error'], { status: 'deleting' })
      if (!gone) throw new Problem(409, vmSnapshotTexts.inUse)
      announceGone(record)
      kick(snapshotId)
    },
  }

  /** What was in memory belongs to all the disks there were (catalogue G-094). */
  async function requireDisks({ vm_id, disks }: Pick<VmSnapshot, 'vm_id' | 'disks'>): Promise<void> {
    const attached = new Set(await repo.attachedNow(vm_id))
    const missing = disks.find(({ disk_id }) => !attached.has(disk_id))
    if (missing)
      throw new Problem(409, `Disk "${missing.name}" of this snapshot is no longer attached to the VM`)
  }
}
