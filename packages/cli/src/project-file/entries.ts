/** What a server has, in the words of a project file. */
import type {
  DiskSnapshotSchedule,
  ProjectFile,
  ProjectFileDisk,
  ProjectFilePool,
  ProjectFileSet,
  ProjectFileVm,
  ProjectFileWebhook,
  VmPool,
  VmSet,
  VmSnapshotSchedule,
} from '@slipway/contract'
import { madeOf, projectFileVersion } from '@slipway/contract/project-file.rules.ts'
import { type ScheduledDisk, type ScheduledVm, scheduleEntry } from './schedules.ts'
import type { Seen } from './seen.ts'
import type { NamedWebhook } from './webhooks.ts'

/** Objects of a file that have a name, by the word for their part of it. */
export const parts = ['disks', 'vms', 'pools', 'sets', 'webhooks'] as const
export type Part = (typeof parts)[number]

export interface Entries {
  disks: ProjectFileDisk
  vms: ProjectFileVm
  pools: ProjectFilePool
  sets: ProjectFileSet
  webhooks: ProjectFileWebhook
}
export interface Objects {
  disks: ScheduledDisk
  vms: ScheduledVm
  pools: VmPool
  sets: VmSet
  webhooks: NamedWebhook
}

/** Without a field where there is none. */
const schedule = <Schedule extends VmSnapshotSchedule | DiskSnapshotSchedule>(own: Schedule | null) =>
  own === null ? {} : { snapshot_schedule: scheduleEntry(own) }

/** A disk whose content came from a snapshot is blank in a file: the snapshot is nowhere else. */
const diskEntry = ({ snapshot_schedule, description, ...disk }: ScheduledDisk): ProjectFileDisk => ({
  ...madeOf(disk),
  description,
  ...schedule(snapshot_schedule),
})

/** One that is as large as its template makes it has no size of its own. */
const rootDisk = (root_disk_gb: number | null) => (root_disk_gb === null ? {} : { root_disk_gb })

/** With the sizes that it has from its next boot on. */
const vmEntry = (vm: ScheduledVm): ProjectFileVm => ({
  template: vm.template_name,
  ssh_key: vm.ssh_key_name,
  cpu: vm.next_cpu ?? vm.cpu,
  memory_mb: vm.next_memory_mb ?? vm.memory_mb,
  ...rootDisk(vm.next_root_disk_gb ?? vm.root_disk_gb),
  persistent: vm.persistent,
  note: vm.note,
  tags: vm.tags,
  delete_protection: vm.delete_protection,
  suspend_after_minutes: vm.suspend_after_minutes,
  disks: vm.disks.map(({ name }) => name),
  ...schedule(vm.snapshot_schedule),
})

const groupEntry = (group: VmPool | VmSet) => ({
  template: group.template_name,
  ssh_key: group.ssh_key_name,
  description: group.description,
  cpu: group.cpu,
  memory_mb: group.memory_mb,
  ...rootDisk(group.root_disk_gb),
  persistent: group.persistent,
  // Those of members that are made of a snapshot come from it.
  disks: group.snapshot_id === null ? group.disks.map(({ name, size }) => ({ name, size })) : [],
})

const poolEntry = (pool: VmPool): ProjectFilePool => ({
  ...groupEntry(pool),
  min_size: pool.min_size,
  max_size: pool.max_size,
  desired_size: pool.desired_size,
  auto_scaling: pool.auto_scaling,
})

const setEntry = (set: VmSet): ProjectFileSet => ({ ...groupEntry(set), replicas: set.replicas })

const webhookEntry = ({ url, objects, kinds, actions, paused }: NamedWebhook): ProjectFileWebhook => ({
  url,
  objects,
  kinds,
  actions,
  paused,
})

/** How an object is written. */
export const entryOf: { [P in Part]: (object: Objects[P]) => Entries[P] } = {
  disks: diskEntry,
  vms: vmEntry,
  pools: poolEntry,
  sets: setEntry,
  webhooks: webhookEntry,
}

const byName = <Object extends { name: string }, Entry>(
  objects: readonly Object[],
  entry: (object: Object) => Entry,
): Record<string, Entry> => Object.fromEntries(objects.map((one) => [one.name, entry(one)]))

/** All that a project has, as a file. Of objects with one name it has the last. */
export const fileOf = ({ project, internet, disks, vms, pools, sets, webhooks }: Seen): ProjectFile => ({
  slipway: projectFileVersion,
  project: project?.name ?? '',
  description: project?.description ?? '',
  internet,
  disks: byName(disks, diskEntry),
  vms: byName(vms, vmEntry),
  pools: byName(pools, poolEntry),
  sets: byName(sets, setEntry),
  webhooks: byName(webhooks, webhookEntry),
})

/** The names that several objects of a part have. */
export function repeatedNames(objects: readonly { name: string }[]): string[] {
  const names = objects.map(({ name }) => name)
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))]
}
