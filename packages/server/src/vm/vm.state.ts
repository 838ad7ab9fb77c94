/** The stored VM, and the pure functions every writer of it goes through. */
import {
  type Disk,
  type SshKeyDue,
  type Vm,
  type VmSizeDue,
  type VmStatus,
  type VmStep,
  type VmStepName,
  wholeGi,
} from '@slipway/contract'
import { isoTime } from '../lib/clock.ts'
import {
  deadlineMs,
  isAlive,
  type Known,
  type Seen,
  type Surroundings,
  statusOf,
  type Wanted,
} from './vm.plan.ts'

/** What makes a VM a member of a pool or set. */
export interface Membership {
  readonly groupId: string
  readonly kind: 'pool' | 'set'
  /** From 1. */
  readonly number: number
  /** The group has become smaller: it shuts down and goes. */
  readonly retiring: boolean
  /** How often in a row the group started it again after it broke. */
  readonly heals: number
  /** Which settings of its group it was made of. */
  readonly revision: number
}

export interface VmRecord {
  readonly id: string
  /** Null once the project is gone; only the wish to delete is left then. */
  readonly projectId: string | null
  readonly name: string
  readonly templateId: string
  readonly templateName: string
  readonly imageId: string
  readonly sshKeyId: string
  readonly sshKeyName: string
  readonly sshPublicKey: string
  /** Public keys that it had before, newest first: its guest, or a snapshot of it, may have some still. */
  readonly formerSshKeys: readonly string[]
  /** When its guest gets the key; null: it has it, or gets it with its first boot. */
  readonly sshKeyDue: SshKeyDue | null
  readonly cpu: number
  readonly memoryMb: number
  /** What it is to have, and does not have yet; null: what it has. */
  readonly nextCpu: number | null
  readonly nextMemoryMb: number | null
  /** When it gets that, as far as it was tried; it says nothing of a VM that does not run. */
  readonly sizeDue: VmSizeDue | null
  /** Of its root disk; null: as its image makes it. */
  readonly rootBytes: number | null
  /** What its root disk is to have; null: what it has. */
  readonly nextRootBytes: number | null
  readonly persistent: boolean
  readonly note: string
  readonly tags: readonly string[]
  readonly deleteProtection: boolean
  /** Minutes without use after which it is suspended; null: never. */
  readonly suspendAfterMin: number | null
  /** Since when it was not used (milliseconds since the epoch); null while it is used, and unless it runs. */
  readonly idleSince: number | null
  /** The VM snapshot it is made of. */
  readonly copyOf: string | null
  /** Null for a VM that stands by itself. */
  readonly member: Membership | null
  readonly createdAt: string
  readonly version: number
  /** What of the bin it belongs to; null unless it is there. */
  readonly binId: string | null
  /** What it is wanted to be again once its project, which is in the bin, is restored; else null. */
  readonly powerBack: Wanted['power'] | null
  readonly wanted: Wanted
  readonly known: Known
  /** What it is being put back to, and the snapshot that what it is now becomes; null when it is not. */
  readonly restore: { snapshotId: string; safetyId: string } | null
  readonly seenPower: Seen['power']
  /** Where SSH answers while the guest lives. */
  readonly address: { ip: string; port: number } | null
  readonly status: VmStatus
  /** Milliseconds since the epoch. */
  readonly statusSince: number
  readonly statusMessage: string | null
  readonly steps: readonly VmStep[]
}

/** When it gets what it does not have yet. */
const sizeDueOf = ({
  nextCpu,
  nextMemoryMb,
  sizeDue,
  seenPower,
}: Pick<VmRecord, 'nextCpu' | 'nextMemoryMb' | 'sizeDue' | 'seenPower'>): VmSizeDue | null => {
  if (nextCpu === null && nextMemoryMb === null) return null
  return sizeDue === 'soon' && isAlive({ power: seenPower }) ? 'soon' : 'next_start'
}

/** What a plan needs to know of a VM. */
export type PlannedVm = Pick<
  VmRecord,
  | 'id'
  | 'wanted'
  | 'known'
  | 'seenPower'
  | 'status'
  | 'statusSince'
  | 'sshKeyDue'
  | 'sizeDue'
  | 'nextRootBytes'
>

export interface VmChange {
  wanted?: Partial<Omit<Wanted, 'restore' | 'kept'>>
  binId?: string | null
  powerBack?: VmRecord['powerBack']
  name?: string
  sshKeyId?: string
  sshKeyName?: string
  sshPublicKey?: string
  formerSshKeys?: readonly string[]
  sshKeyDue?: SshKeyDue | null
  cpu?: number
  memoryMb?: number
  nextCpu?: number | null
  nextMemoryMb?: number | null
  sizeDue?: VmSizeDue | null
  rootBytes?: number | null
  nextRootBytes?: number | null
  persistent?: boolean
  note?: string
  tags?: readonly string[]
  deleteProtection?: boolean
  suspendAfterMin?: number | null
  idleSince?: number | null
  restore?: VmRecord['restore']
  known?: Partial<Known>
  /** Null: it leaves its group. */
  member?: Partial<Pick<Membership, 'retiring' | 'heals'>> | null
  seenPower?: Seen['power']
  address?: VmRecord['address']
  statusMessage?: string | null
  steps?: readonly VmStep[]
}

/** All that people and programs ask of a VM and the reconciler works for. */
const requestOf = ({ wanted, restore, sshKeyId, nextCpu, nextMemoryMb, nextRootBytes }: VmRecord) => [
  ...[wanted.power, wanted.force, wanted.restarts, wanted.deleted, wanted.kept],
  ...[restore?.snapshotId, restore?.safetyId, sshKeyId, nextCpu, nextMemoryMb, nextRootBytes],
]

/** Whether what was found out for one is still what the other one waits for. */
export function isSameRequest(one: VmRecord, other: VmRecord): boolean {
  const others = requestOf(other)
  return requestOf(one).every((part, index) => part === others[index])
}

/** Whether it was stopped after its restore was asked for: that begins without `force`, and a stop during it sets it. */
export const isStoppedSince = ({ restore, wanted }: VmRecord): boolean =>
  restore !== null && wanted.power === 'off' && wanted.force

/** The record after a change: the status follows from the facts, and its clock starts again when it differs. */
export function changed(vm: VmRecord, change: VmChange, nowMs: number): VmRecord {
  const restore = change.restore === undefined ? vm.restore : change.restore
  const binId = change.binId === undefined ? vm.binId : change.binId
  const next = {
    ...vm,
    ...change,
    restore,
    binId,
    wanted: { ...vm.wanted, ...change.wanted, restore: restore !== null, kept: binId !== null },
    known: { ...vm.known, ...change.known },
    member: change.member === null ? null : vm.member && { ...vm.member, ...change.member },
  }
  const status = statusOf(next.wanted, next.known, { power: next.seenPower })
  // When the copies of a restore are there, or its turn to start has come, the deadline of the status begins.
  const goesOn =
    status === vm.status &&
    next.known.restorePrepared === vm.known.restorePrepared &&
    (next.known.admitted === vm.known.admitted || status !== 'starting')
  const idleSince = status === 'running' && next.suspendAfterMin !== null ? next.idleSince : null
  return { ...next, status, statusSince: goesOn ? vm.statusSince : nowMs, idleSince }
}

/** When a VM is suspended by itself, in milliseconds since the epoch; null while it is used, or never. */
export const suspendsAtOf = ({
  idleSince,
  suspendAfterMin,
}: Pick<VmRecord, 'idleSince' | 'suspendAfterMin'>): number | null =>
  idleSince === null || suspendAfterMin === null ? null : idleSince + suspendAfterMin * 60_000

/** The steps after entering one: the one before ends now. Entering the present one again changes nothing. */
export function enterStep(steps: readonly VmStep[], name: VmStepName, nowMs: number): readonly VmStep[] {
  const last = steps.at(-1)
  if (last?.name === name && last.ended_at === null) return steps
  // One that is entered a second time, such as waiting for room, goes on.
  const before = steps.find((step) => step.name === name)
  const others = endSteps(steps, nowMs).filter((step) => step.name !== name)
  return [...others, { name, started_at: before?.started_at ?? isoTime(nowMs), ended_at: null }]
}

/** The steps of a start, of which it turned out whether the guest booted or started warm. */
export function startedAs(steps: readonly VmStep[], how: 'warm' | 'boot'): readonly VmStep[] {
  const other = how === 'warm' ? 'boot' : 'warm'
  return steps.some(({ name }) => name === other)
    ? steps.map((step) => (step.name === other ? { ...step, name: how } : step))
    : steps
}

/** Whether a guest boots whose memory was kept: the step that was to resume it did not. */
export const bootsInstead = (steps: readonly VmStep[]): boolean =>
  steps.some(({ name }) => name === 'resume') && steps.some(({ name }) => name === 'boot')

export function endSteps(steps: readonly VmStep[], nowMs: number): readonly VmStep[] {
  return steps.map((step) => (step.ended_at === null ? { ...step, ended_at: isoTime(nowMs) } : step))
}

/**
 * How long the present status may last, in milliseconds; null for a settled one, and while copies are made or disks
 * change, which report their progress. One that waits for room or a start slot may wait as long as a new one.
 */
function spanOf(vm: PlannedVm): number | null {
  const alive = isAlive({ power: vm.seenPower })
  // In between its guest is ended, which has its time.
  if (vm.wanted.restore && !(vm.known.restorePrepared && alive)) return null
  const waits = vm.status === 'starting' && !vm.known.admitted && !alive
  return deadlineMs[waits ? 'pending' : vm.status]
}

/** Where the deadline of the present status stands. */
export function deadlineOf(vm: PlannedVm, nowMs: number): Surroundings['deadline'] {
  const span = spanOf(vm)
  if (span === null) return 'ahead'
  const age = nowMs - vm.statusSince
  return age < span ? 'ahead' : age < 2 * span ? 'passed' : 'long-passed'
}

/** Milliseconds until the deadline of the present status next matters; null for a settled one. */
export function msToDeadline(vm: PlannedVm, nowMs: number): number | null {
  const span = spanOf(vm)
  if (span === null) return null
  const age = nowMs - vm.statusSince
  return age < span ? span - age : Math.max(0, 2 * span - age)
}

/** The VM as it goes over the wire; the time of its status counts `since`, in milliseconds since the epoch. */
export function toWire(
  vm: VmRecord & { projectId: string },
  disks: Pick<Disk, 'id' | 'name' | 'size'>[],
  since: number,
): Vm {
  const span = spanOf(vm)
  const address = isAlive({ power: vm.seenPower }) ? vm.address : null
  const suspendsAt = suspendsAtOf(vm)
  return {
    id: vm.id,
    project_id: vm.projectId,
    name: vm.name,
    status: vm.status,
    status_message: vm.statusMessage,
    status_since: isoTime(vm.statusSince),
    status_deadline: span === null ? null : isoTime(since + span),
    created_at: vm.createdAt,
    template_id: vm.templateId,
    template_name: vm.templateName,
    ssh_key_id: vm.sshKeyId,
    ssh_key_name: vm.sshKeyName,
    ssh_key_due: vm.sshKeyDue === null || isAlive({ power: vm.seenPower }) ? vm.sshKeyDue : 'next_start',
    ip_address: address?.ip ?? null,
    ssh_port: address?.port ?? 22,
    cpu: vm.cpu,
    memory_mb: vm.memoryMb,
    next_cpu: vm.nextCpu,
    next_memory_mb: vm.nextMemoryMb,
    size_due: sizeDueOf(vm),
    root_disk_gb: vm.rootBytes === null ? null : wholeGi(vm.rootBytes),
    next_root_disk_gb: vm.nextRootBytes === null ? null : wholeGi(vm.nextRootBytes),
    persistent: vm.persistent,
    note: vm.note,
    tags: [...vm.tags],
    delete_protection: vm.deleteProtection,
    suspend_after_minutes: vm.suspendAfterMin,
    suspends_at: suspendsAt === null ? null : isoTime(suspendsAt),
    vmpool_id: vm.member?.kind === 'pool' ? vm.member.groupId : null,
    vmset_id: vm.member?.kind === 'set' ? vm.member.groupId : null,
    disks: disks.map((disk) => ({ disk_id: disk.id, name: disk.name, size: disk.size })),
    steps: [...vm.steps],
  }
}
