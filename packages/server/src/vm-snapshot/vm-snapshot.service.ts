import {
  copiesAllowed,
  hasDisksOfThen,
  type Limits,
  mayBegin,
  messages,
  type Parsed,
  snapshotCan,
  type Vm,
  type VmSnapshot,
  VmSnapshotType,
  type vmApi,
  vmCan,
  type vmSnapshotApi,
  vmSnapshotRetention,
  vmSnapshotTexts,
  vmSnapshotTypeAllowed,
} from '@slipway/contract'
import { type Entry, entry, wish } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { VmSnapshotTable } from '../db/schema.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, refuse, require409, require422 } from '../lib/problem.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import { takenBySchedule } from '../snapshot/snapshot.activity.ts'
import { fits, makeSnapshotAccess, type ScheduledSnapshot } from '../snapshot/snapshot.service.ts'
import type { VmService } from '../vm/vm.service.ts'
import type { SourceVm, VmSnapshotRecord, VmSnapshotRepo } from './vm-snapshot.repo.ts'

type VmCopiesBody = Parsed<typeof vmApi.fork>['body']
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
  vms: VmService
  quotas: Pick<QuotaService, 'require' | 'requireForReturn'>
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
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
  const { repo, vms, cannot, isInUse, kick, changed, jobs, clock } = options

  const access = makeSnapshotAccess<VmSnapshot, VmSnapshotRecord>({
    repo,
    kick,
    jobs,
    clock,
    kind: 'vm_snapshot',
    changed,
    binDays: options.binDays,
    quotas: options.quotas,
    texts: { notFound: messages.vmSnapshotNotFound, inUse: vmSnapshotTexts.inUse },
    isInUse: ({ id }, tx) => isInUse(id, tx),
  })

  /** A snapshot of a VM as it is before anything was done for it; it ends as soon as nobody needs it. */
  function rowOf(vm: Vm, name: string, type: VmSnapshot['snapshot_type']): VmSnapshotTable {
    const now = clock.now()
    return {
      id: newId(now),
      project_id: vm.project_id,
      vm_id: vm.id,
      vm_name: vm.name,
      name,
      description: '',
      status: 'pending',
      status_message: null,
      status_since: isoTime(now),
      snapshot_type: type,
      has_memory: 0,
      consistency: null,
      disks: '[]',
      automatic: 0,
      stored_bytes: null,
      retention_days: 1,
      expires_at: isoTime(now),
      metadata: null,
      schedule_id: null,
      scheduled: null,
      bin_id: null,
      created_at: isoTime(now),
    }
  }

  /** Stores a snapshot that is kept for some days, and has it made. */
  async function store(
    row: VmSnapshotTable,
    projectId: string,
    entry: Entry,
    given: (tx: Tx) => Promise<void>,
  ): Promise<VmSnapshot> {
    await repo.insert(row, allowed(projectId, 'vmSnapshot'), [entry], {
      async given(tx) {
        // How large it becomes, only the engine can tell when it is there.
        await options.quotas.require(tx, projectId, { snapshot_bytes: 1 })
        await given(tx)
      },
    })
    return access.begin(projectId, row.id)
  }

  const keptFor = (days: number) => ({
    retention_days: days,
    expires_at: isoTime(clock.now() + days * dayMs),
  })

  const allowed =
    (projectId: string, requested: 'vmSnapshot' | 'fork') =>
    (seen: SourceVm | null): void => {
      if (!seen || seen.deleted || seen.projectId !== projectId) throw new Problem(404, messages.vmNotFound)
      require409(requested === 'fork' ? vmCan.fork(seen) : vmCan.snapshot(seen))
      require409(mayBegin(requested, seen.underWay))
    }

  const asked = (userId: string, { id, name, vm_name, project_id }: VmSnapshotTable) =>
    entry(
      clock.now(),
      { type: 'vm_snapshot', id, name, projectId: project_id },
      wish(userId, 'vmSnapshot.create', `Create snapshot ${name} of VM ${vm_name} requested`),
    )

  return {
    ...access,

    async list(projectId: string, filter: VmSnapshotFilter): Promise<VmSnapshot[]> {
      return (await access.list(projectId)).filter(
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
      const vm = await vms.get(projectId, vmId)
      // Skipping wins (catalogue G-092).
      const type = input.skip_memory_snapshot ? 'disk' : input.snapshot_type
      require422(vmSnapshotTypeAllowed(type, cannot), 'snapshot_type')
      const row: VmSnapshotTable = {
        ...rowOf(vm, input.name, type),
        description: input.description,
        ...keptFor(input.retention_days),
        metadata: input.metadata ? JSON.stringify(input.metadata) : null,
      }
      return store(row, projectId, asked(userId, row), async () => {})
    },

    /** Takes a snapshot for the schedule of a VM, which counts it in the same transaction. */
    async take(
      projectId: string,
      vmId: string,
      { name, type, scheduleId, rhythm, given }: ScheduledSnapshot,
    ): Promise<VmSnapshot> {
      const vm = await vms.get(projectId, vmId)
      const snapshotType = VmSnapshotType.parse(type)
      require422(vmSnapshotTypeAllowed(snapshotType, cannot))
      const row: VmSnapshotTable = {
        ...rowOf(vm, name, snapshotType),
        ...keptFor(vmSnapshotRetention.max),
        schedule_id: scheduleId,
        scheduled: rhythm,
      }
      const entry = takenBySchedule({ id: row.id, projectId, snapshot: row }, clock.now())
      return store(row, projectId, entry, (tx) => given(tx, row.id))
    },

    /** Makes copies of a VM: of a snapshot that is made for them, and goes when none of them needs it any more. */
    async fork(userId: string, projectId: string, vmId: string, input: VmCopiesBody): Promise<Vm[]> {
      const vm = await vms.get(projectId, vmId)
      require409(vmCan.fork(vm))
      const withMemory = vm.status === 'running' && cannot.memory_snapshots === null
      const row: VmSnapshotTable = {
        ...rowOf(vm, `${vmSnapshotTexts.ofFork} ${vm.name}`, withMemory ? 'full' : 'disk'),
        description: vmSnapshotTexts.goesByItself,
        automatic: 1,
      }
      const copies = await vms.copiesOf(userId, vm, {
        snapshotId: row.id,
        asked: input,
        action: 'vm.fork',
        of: `as a fork of ${vm.name}`,
      })
      await repo.insert(
        row,
        allowed(projectId, 'fork'),
        // Each copy tells of itself.
        [],
        {
          async alongside(tx, disks) {
            await copies.add(tx, disks)
          },
        },
      )
      await access.begin(projectId, row.id)
      return copies.begin()
    },

    /** Makes VMs of a snapshot, whose VM is still there. */
    async createVms(
      userId: string,
      projectId: string,
      snapshotId: string,
      input: VmCopiesBody,
    ): Promise<Vm[]> {
      const { snapshot } = await access.find(projectId, snapshotId)
      require409(snapshotCan.createVms(snapshot))
      const vm = await unlessGone(vms.get(projectId, snapshot.vm_id))
      if (!vm) throw new Problem(409, vmSnapshotTexts.vmGone)
      const copies = await vms.copiesOf(userId, vm, {
        snapshotId,
        asked: input,
        action: 'vmSnapshot.createVms',
        of: `from snapshot ${snapshot.name}`,
      })
      const isReady = await repo.whileReady(snapshotId, (tx) => copies.add(tx, snapshot.disks))
      if (!isReady) throw new Problem(409, vmSnapshotTexts.notReady)
      return copies.begin()
    },

    /**
     * What the members of a pool or set are that are made of a snapshot, each like the VM of it, which is still there; null
     * where there is no such snapshot.
     */
    async forMembers(projectId: string, snapshotId: string) {
      require422(copiesAllowed(cannot))
      const record = await unlessGone(access.find(projectId, snapshotId))
      if (!record) return null
      const { snapshot } = record
      require409(snapshotCan.createVms(snapshot))
      const like = await unlessGone(vms.like(projectId, snapshot.vm_id))
      if (!like) throw new Problem(409, vmSnapshotTexts.vmGone)
      return {
        ...like,
        name: snapshot.name,
        held: snapshot.disks,
        /** In the transaction that stores whoever needs it. */
        async requireReady(tx: Tx): Promise<void> {
          if (!(await repo.isReady(snapshotId, tx))) throw new Problem(409, vmSnapshotTexts.notReady)
        },
      }
    },

    async restore(
      userId: string,
      projectId: string,
      snapshotId: string,
      vmId: string,
    ): Promise<{ message: string; vm: Vm }> {
      const { snapshot } = await access.find(projectId, snapshotId)
      if (snapshot.vm_id !== vmId) throw refuse('vm_id', vmSnapshotTexts.otherVm)
      require409(snapshotCan.restore(snapshot))
      const vm = await unlessGone(vms.get(projectId, vmId))
      if (!vm) throw new Problem(409, vmSnapshotTexts.vmGone)
      require409(vmCan.restore(vm))
      const to = { snapshotId, name: snapshot.name, safetyId: newId(clock.now()) }
      // What was in memory belongs to the disks there were (catalogue G-094).
      const requireDisks = async (tx: Tx) =>
        require409(hasDisksOfThen(snapshot, await repo.attachedNow(vmId, tx)))
      return {
        message: vmSnapshotTexts.restoring,
        vm: await vms.restore(userId, projectId, vmId, to, requireDisks),
      }
    },
  }

  /** What was asked for, or null when it is not there any more. */
  function unlessGone<T>(asked: Promise<T>): Promise<T | null> {
    return asked.catch((error: unknown) => {
      if (error instanceof Problem && error.status === 404) return null
      throw error
    })
  }
}
