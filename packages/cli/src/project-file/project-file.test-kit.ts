import type { DiskSnapshotSchedule, VmPool, VmSet, VmSnapshotSchedule, Webhook } from '@slipway/contract'
import { ProjectFile } from '@slipway/contract/project-file.ts'
import { textOf } from './lines.ts'
import { type Plan, planOf } from './plan.ts'
import type { ScheduledDisk, ScheduledVm } from './schedules.ts'
import { nothing, type Seen } from './seen.ts'
import { type NamedWebhook, named } from './webhooks.ts'

const time = '2026-01-01T00:00:00.000Z'
let number = 0
const idOf = (name: string) => `id-of-${name}-${++number}`

export const disk = (name: string, more: Partial<ScheduledDisk> = {}): ScheduledDisk => ({
  id: idOf(name),
  project_id: 'p',
  name,
  description: '',
  status: 'available',
  status_message: null,
  status_since: time,
  progress: null,
  size: '10Gi',
  size_gb: 10,
  disk_type: 'standard',
  source: 'blank',
  image_url: null,
  image_sha256: null,
  vm_id: null,
  vm_name: null,
  next_size_gb: null,
  snapshot_schedule: null,
  deleted_with_vm: false,
  created_at: time,
  ...more,
})

export const vm = (name: string, more: Partial<ScheduledVm> = {}): ScheduledVm => ({
  id: idOf(name),
  project_id: 'p',
  name,
  status: 'running',
  status_message: null,
  status_since: time,
  status_deadline: null,
  created_at: time,
  template_id: 't-1',
  template_name: 'Starter Linux',
  ssh_key_id: 'k-1',
  ssh_key_name: 'laptop',
  ssh_key_due: null,
  ip_address: null,
  ssh_port: 22,
  cpu: 1,
  memory_mb: 256,
  next_cpu: null,
  size_due: null,
  next_memory_mb: null,
  root_disk_gb: null,
  next_root_disk_gb: null,
  persistent: true,
  note: '',
  tags: [],
  delete_protection: false,
  suspend_after_minutes: null,
  suspends_at: null,
  vmpool_id: null,
  vmset_id: null,
  snapshot_schedule: null,
  disks: [],
  steps: [],
  ...more,
})

/** A VM that has disks, and they it. */
export function vmWith(
  name: string,
  disks: readonly ScheduledDisk[],
): { vm: ScheduledVm; disks: ScheduledDisk[] } {
  const own = vm(name, { disks: disks.map(({ id, name, size }) => ({ disk_id: id, name, size })) })
  return {
    vm: own,
    disks: disks.map((one) => ({ ...one, status: 'attached', vm_id: own.id, vm_name: name })),
  }
}

const schedule = {
  ...{ hourly: null, daily: { time: '03:00', keep: 7 }, weekly: null, time_zone: 'UTC', paused: false },
  ...{ next_at: time, last: null, missed: null, not_deleted: null },
}

export const vmSchedule = (more: Partial<VmSnapshotSchedule> = {}): VmSnapshotSchedule => ({
  ...{ ...schedule, vm_id: 'v', snapshot_type: 'disk' },
  ...more,
})

export const diskSchedule = (more: Partial<DiskSnapshotSchedule> = {}): DiskSnapshotSchedule => ({
  ...{ ...schedule, disk_id: 'd', snapshot_type: 'full' },
  ...more,
})

const group = (name: string) => ({
  id: idOf(name),
  project_id: 'p',
  name,
  description: '',
  status_message: null,
  status_since: time,
  template_id: 't-1',
  template_name: 'Starter Linux',
  snapshot_id: null,
  ssh_key_id: 'k-1',
  ssh_key_name: 'laptop',
  persistent: true,
  disks: [],
  cpu: 1,
  memory_mb: 512,
  root_disk_gb: null,
  roll_out: { revision: 1, state: 'none' as const, message: null, renewed_vms: 2, total_vms: 2 },
  created_at: time,
})

export const pool = (name: string, more: Partial<VmPool> = {}): VmPool => ({
  ...group(name),
  status: 'active',
  current_size: 1,
  desired_size: 1,
  min_size: 1,
  max_size: 3,
  auto_scaling: false,
  ...more,
})

export const set = (name: string, more: Partial<VmSet> = {}): VmSet => ({
  ...group(name),
  status: 'active',
  replicas: 2,
  vm_stats: { total_vms: 2, running_vms: 2 },
  ...more,
})

export const webhook = (url: string, more: Partial<Webhook> = {}): NamedWebhook =>
  named({
    id: idOf('webhook'),
    project_id: 'p',
    url,
    description: '',
    objects: null,
    kinds: null,
    actions: null,
    paused: false,
    paused_reason: null,
    failing_since: null,
    last_failure: null,
    next_try_at: null,
    last_delivered_at: null,
    waiting: 0,
    old_secret_until: null,
    created_at: time,
    ...more,
  })

export const seen = (more: Partial<Seen> = {}): Seen => ({
  ...nothing,
  project: { id: 'p', name: 'shop', description: '', role: 'owner' },
  ...more,
})

export const file = (more: object = {}): ProjectFile =>
  ProjectFile.parse({ slipway: 1, project: 'shop', ...more })
/** What VMs of the test kit are made of. */
export const kind = { template: 'Starter Linux', ssh_key: 'laptop' }
export const plan = (what: object, there = seen(), alsoDelete = false): Plan =>
  planOf(file(what), there, { alsoDelete })
export const lines = (what: object, there = seen(), alsoDelete = false): string[] =>
  textOf(plan(what, there, alsoDelete), file(what)).split('\n')
