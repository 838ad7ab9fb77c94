import {
  type DiskSnapshotSchedule,
  DiskSnapshotType,
  type diskSnapshotScheduleApi,
  diskSnapshotTypeAllowed,
  type Limits,
  messages,
  type Parsed,
  type ScheduledOutcome,
  type VmSnapshotSchedule,
  VmSnapshotType,
  type vmSnapshotScheduleApi,
  vmSnapshotTypeAllowed,
} from '@slipway/contract'
import type { DiskService } from '../disk/disk.service.ts'
import type { Changed } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import { Problem, require422 } from '../lib/problem.ts'
import type { VmService } from '../vm/vm.service.ts'
import { nextDue } from './due.ts'
import { stillTold } from './missed.ts'
import { scheduleDeleted, scheduleSet } from './snapshot-schedule.activity.ts'
import type {
  Scheduled,
  ScheduleRecord,
  ScheduleSettings,
  SnapshotScheduleRepo,
} from './snapshot-schedule.repo.ts'

type VmBody = Parsed<typeof vmSnapshotScheduleApi.set>['body']
type DiskBody = Parsed<typeof diskSnapshotScheduleApi.set>['body']

export type SnapshotScheduleService = ReturnType<typeof makeSnapshotScheduleService>

export interface SnapshotScheduleServiceOptions {
  repo: SnapshotScheduleRepo
  vms: Pick<VmService, 'get'>
  disks: Pick<DiskService, 'find'>
  /** What the engine cannot do. */
  cannot: Limits
  changed: Changed
  clock: Clock
}

const outcomes: Record<string, ScheduledOutcome> = {
  pending: 'creating',
  creating: 'creating',
  ready: 'ready',
  failed: 'failed',
  error: 'failed',
}

/** Of what has no schedule. */
const none = {
  hourly: null,
  daily: null,
  weekly: null,
  time_zone: 'UTC',
  paused: false,
  next_at: null,
  last: null,
  missed: null,
  not_deleted: null,
} as const

/** When snapshots of VMs and of disks are taken. Taking them is for `schedule-watch.service.ts`. */
export function makeSnapshotScheduleService(options: SnapshotScheduleServiceOptions) {
  const { repo, vms, disks, cannot, changed, clock } = options

  function lastOf({ last }: ScheduleRecord): VmSnapshotSchedule['last'] {
    if (last === null) return null
    const { dueAt, snapshotId, status, message } = last
    const outcome = snapshotId === null ? 'missed' : (outcomes[status ?? ''] ?? 'deleted')
    const isTold = outcome === 'missed' || outcome === 'failed'
    return { due_at: dueAt, outcome, snapshot_id: snapshotId, message: isTold ? message : null }
  }

  /** As it goes over the wire, but for what it is of; without a record there is none. */
  function wire(record: ScheduleRecord | null) {
    if (!record) return none
    const { rhythms, timeZone, paused, nextAt, missed, notDeleted } = record
    return {
      ...rhythms,
      time_zone: timeZone,
      paused,
      next_at: nextAt,
      last: lastOf(record),
      missed: stillTold(missed, clock.now()),
      not_deleted: notDeleted,
    }
  }

  const ofVm = (vmId: string, record: ScheduleRecord | null): VmSnapshotSchedule => ({
    ...wire(record),
    vm_id: vmId,
    snapshot_type: VmSnapshotType.parse(record?.snapshotType ?? 'disk'),
  })

  const ofDisk = (diskId: string, record: ScheduleRecord | null): DiskSnapshotSchedule => ({
    ...wire(record),
    disk_id: diskId,
    snapshot_type: DiskSnapshotType.parse(record?.snapshotType ?? 'full'),
  })

  async function vm(projectId: string, vmId: string): Promise<Scheduled> {
    const { id, name } = await vms.get(projectId, vmId)
    return { kind: 'vm', id, name, projectId }
  }

  async function disk(projectId: string, diskId: string): Promise<Scheduled> {
    const found = await disks.find(diskId, projectId)
    if (!found) throw new Problem(404, messages.diskNotFound)
    return { kind: 'disk', id: found.id, name: found.name, projectId }
  }

  async function set(of: Scheduled, body: VmBody | DiskBody, userId: string): Promise<ScheduleRecord | null> {
    const { hourly, daily, weekly, time_zone: timeZone, paused, snapshot_type: snapshotType } = body
    const settings: ScheduleSettings = { rhythms: { hourly, daily, weekly }, timeZone, snapshotType, paused }
    const nowMs = clock.now()
    const nextAt = paused ? null : nextDue(settings.rhythms, timeZone, nowMs)
    const isNew = await repo.put(of, settings, { nextAt, nowMs }, scheduleSet(of, settings, userId, nowMs))
    if (isNew) changed(of.kind, of.projectId, of.id)
    return repo.find(of)
  }

  async function remove(of: Scheduled, userId: string): Promise<void> {
    const isRemoved = await repo.remove(of, scheduleDeleted(of, userId, clock.now()))
    if (isRemoved) changed(of.kind, of.projectId, of.id)
  }

  const ofKind = async (projectId: string, wanted: Scheduled['kind']) =>
    (await repo.list(projectId)).filter(({ kind }) => kind === wanted)

  return {
    ofVm: {
      async list(projectId: string): Promise<VmSnapshotSchedule[]> {
        return (await ofKind(projectId, 'vm')).map(({ objectId, record }) => ofVm(objectId, record))
      },
      async get(projectId: string, vmId: string): Promise<VmSnapshotSchedule> {
        return ofVm(vmId, await repo.find(await vm(projectId, vmId)))
      },
      async set(userId: string, projectId: string, vmId: string, body: VmBody): Promise<VmSnapshotSchedule> {
        const of = await vm(projectId, vmId)
        require422(vmSnapshotTypeAllowed(body.snapshot_type, cannot), 'snapshot_type')
        return ofVm(vmId, await set(of, body, userId))
      },
      async delete(userId: string, projectId: string, vmId: string): Promise<void> {
        await remove(await vm(projectId, vmId), userId)
      },
    },

    ofDisk: {
      async list(projectId: string): Promise<DiskSnapshotSchedule[]> {
        return (await ofKind(projectId, 'disk')).map(({ objectId, record }) => ofDisk(objectId, record))
      },
      async get(projectId: string, diskId: string): Promise<DiskSnapshotSchedule> {
        return ofDisk(diskId, await repo.find(await disk(projectId, diskId)))
      },
      async set(
        userId: string,
        projectId: string,
        diskId: string,
        body: DiskBody,
      ): Promise<DiskSnapshotSchedule> {
        const of = await disk(projectId, diskId)
        require422(diskSnapshotTypeAllowed(body.snapshot_type, cannot), 'snapshot_type')
        return ofDisk(diskId, await set(of, body, userId))
      },
      async delete(userId: string, projectId: string, diskId: string): Promise<void> {
        await remove(await disk(projectId, diskId), userId)
      },
    },

    /** All those of a project. */
    async list(projectId: string): Promise<(VmSnapshotSchedule | DiskSnapshotSchedule)[]> {
      return (await repo.list(projectId)).map(({ kind, objectId, record }) =>
        kind === 'vm' ? ofVm(objectId, record) : ofDisk(objectId, record),
      )
    },
  }
}
