import {
  type Limits,
  messages,
  type Parsed,
  snapshotCan,
  type Vm,
  type VmSnapshot,
  vmCan,
  type vmSnapshotApi,
  vmSnapshotTexts,
  vmSnapshotTypeAllowed,
} from '@slipway/contract'
import { entry, wish } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import type { ProjectService } from '../project/project.service.ts'
import { fits, makeSnapshotAccess } from '../snapshot/snapshot.service.ts'
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
  /** What the engine cannot do. */
  cannot: Limits
  /** Whether a restore or a new disk reads a snapshot. */
  isInUse: (snapshotId: string, tx?: Tx) => Promise<boolean>
  kick: (snapshotId: string) => void
  changed: Changed
  jobs: Pick<JobBoard, 'find' | 'abort'>
  clock: Clock
}

export function makeVmSnapshotService(options: VmSnapshotServiceOptions) {
  const { repo, projects, vms, cannot, isInUse, kick, changed, jobs, clock } = options

  const access = makeSnapshotAccess<VmSnapshot, VmSnapshotRecord>({
    repo,
    projects,
    kick,
    jobs,
    clock,
    changed: (projectId, id) => changed('vm_snapshot', projectId, id),
    texts: { notFound: messages.vmSnapshotNotFound, inUse: vmSnapshotTexts.inUse },
    isInUse: ({ id }, tx) => isInUse(id, tx),
  })

  return {
    ...access,

    async list(userId: string, projectId: string, filter: VmSnapshotFilter): Promise<VmSnapshot[]> {
      return (await access.list(userId, projectId)).filter(
        (snapshot) =>
          fits(filter.vm_name, snapshot.vm_name) &&
          fits(filter.vm_id, snapshot.vm_id) &&
          fits(filter.status, snapshot.status),
      )
    },

    async create(
      userId: string,
      projectId: string,
      vmId: string,
      input: VmSnapshotBody,
    ): Promise<VmSnapshot> {
      const vm = await vms.get(userId, projectId, vmId)
      // Skipping wins (catalogue G-092).
      const type = input.skip_memory_snapshot ? 'disk' : input.snapshot_type
      require422(vmSnapshotTypeAllowed(type, cannot), 'snapshot_type')
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
          status_since: isoTime(now),
          snapshot_type: type,
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
        entry(
          now,
          { type: 'vm_snapshot', id, name: input.name, projectId },
          wish(userId, 'vmSnapshot.create', `Create snapshot ${input.name} of VM ${vm.name} requested`),
        ),
      )
      return access.begin(userId, projectId, id)
    },

    async restore(
      userId: string,
      projectId: string,
      snapshotId: string,
      vmId: string,
    ): Promise<{ message: string; vm: Vm }> {
      const { snapshot } = await access.find(userId, projectId, snapshotId)
      if (snapshot.vm_id !== vmId) throw refuse('vm_id', vmSnapshotTexts.otherVm)
      require409(snapshotCan.restore(snapshot))
      const vm = await vms.get(userId, projectId, vmId).catch((error: unknown) => {
        if (error instanceof Problem && error.status === 404) return null
        throw error
      })
      if (!vm) throw new Problem(409, vmSnapshotTexts.vmGone)
      require409(vmCan.restore(vm))
      if (snapshot.has_memory) await requireDisks(snapshot)
      const to = { snapshotId, name: snapshot.name, safetyId: newId(clock.now()) }
      return {
        message: vmSnapshotTexts.restoring,
        vm: await vms.restore(userId, projectId, vmId, to),
      }
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
