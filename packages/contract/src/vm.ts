import { z } from 'zod'
import { disksPerVm, diskTexts } from './disk.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { GuestPort } from './guest-port.ts'
import { overlapRefusals } from './overlap.rules.ts'
import { ProjectParams } from './project.ts'
import { quotaRefusal } from './quota.rules.ts'
import { sharesPerVm, shareTexts } from './share.rules.ts'
import { sshKeyDues } from './ssh-key-due.rules.ts'
import { startScriptBodyBytes, startScriptTexts } from './start-script.rules.ts'
import { StartScriptText } from './start-script-text.ts'
import { hasHiddenCharacters } from './text.rules.ts'
import { Id, name, Time } from './text.ts'
import { deleteProtected, notRunning, vmStatuses, vmStepNames } from './vm.rules.ts'
import {
  isTag,
  noteLimit,
  rootDiskRangeGb,
  rootDiskTooSmall,
  sortedTags,
  tagsPerVm,
  tidyNote,
  vmChangeTexts,
  vmCpuRange,
  vmMemoryRangeMb,
} from './vm-change.rules.ts'
import { copiesAtOnce, longestUnusedMinutes, vmTexts } from './vm-form.rules.ts'
import { vmSizeDues } from './vm-size-due.rules.ts'

export const VmStatus = z.enum(vmStatuses)
export type VmStatus = z.infer<typeof VmStatus>

export const VmStepName = z.enum(vmStepNames)
export type VmStepName = z.infer<typeof VmStepName>

export const VmStep = z.object({
  name: VmStepName,
  started_at: Time,
  /** Null while it is under way. */
  ended_at: Time.nullable(),
})
export type VmStep = z.infer<typeof VmStep>

/** When the guest of a VM gets an SSH key that it does not have yet. */
export const SshKeyDue = z.enum(sshKeyDues)
export type SshKeyDue = z.infer<typeof SshKeyDue>
export const VmSizeDue = z.enum(vmSizeDues)
export type VmSizeDue = z.infer<typeof VmSizeDue>

/** A data disk of a VM. */
export const VmDisk = z.object({ disk_id: Id, name: z.string(), size: z.string() })

export const Vm = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  status: VmStatus,
  /** One sentence: why it waits or failed, and what to do. Null when fine. */
  status_message: z.string().nullable(),
  /** When the status became what it is. */
  status_since: Time,
  /** The latest moment at which a transitional status ends by itself; null for a settled one. */
  status_deadline: Time.nullable(),
  created_at: Time,
  template_id: Id,
  template_name: z.string(),
  ssh_key_id: Id,
  ssh_key_name: z.string(),
  /**
   * When its guest gets that key, which it does not have yet: `soon`, while it runs; at its `next_start`; or only `by_hand`,
   * because nothing in it takes a key. Null: it has it.
   */
  ssh_key_due: SshKeyDue.nullable(),
  /** Where port 22 of the guest answers from the server's machine; null until known. */
  ip_address: z.string().nullable(),
  ssh_port: z.int(),
  cpu: z.int(),
  memory_mb: z.int(),
  /** What it is to have, and does not have yet; null: what it has. */
  next_cpu: z.int().nullable(),
  next_memory_mb: z.int().nullable(),
  /** When it gets that: `soon`, while it runs; or at its `next_start`. Null: it has its size. */
  size_due: VmSizeDue.nullable(),
  /** Of its root disk, rounded up; null: as large as its template makes it. */
  root_disk_gb: z.int().nullable(),
  /** What its root disk is being enlarged to; null: it has its size. */
  next_root_disk_gb: z.int().nullable(),
  persistent: z.boolean(),
  /** What its people wrote about it; empty without. */
  note: z.string(),
  /** In the order of the alphabet. */
  tags: z.array(z.string()),
  /** It cannot be deleted before this is taken back. */
  delete_protection: z.boolean(),
  /** It is suspended by itself when it was not used for so long; null: never. */
  suspend_after_minutes: z.int().nullable(),
  /** When that will be, unless somebody uses it before; null while it is used, and unless it runs. */
  suspends_at: Time.nullable(),
  vmpool_id: Id.nullable(),
  vmset_id: Id.nullable(),
  disks: z.array(VmDisk),
  /** The last way up, as the reconciler saw it; empty in lists for VMs that are settled and well. */
  steps: z.array(VmStep),
})
export type Vm = z.infer<typeof Vm>

const t = vmTexts
const c = vmChangeTexts

/** What people say about a VM, at create and later. */
const Note = z
  .string({ error: c.note })
  .transform(tidyNote)
  .refine((note) => note.length <= noteLimit && !hasHiddenCharacters(note.replace(/[\n\t]/g, ' ')), c.note)
export const VmTags = z
  .array(z.string({ error: c.tag }).trim().refine(isTag, c.tag), { error: c.tag })
  .transform(sortedTags)
  .refine((tags) => tags.length <= tagsPerVm, c.tooManyTags)
const DeleteProtection = z.boolean({ error: c.protection })
const SshKeyId = z.string({ error: t.sshKeyMissing }).min(1, t.sshKeyMissing).max(64, t.sshKeyMissing)
export const Cpu = z.int({ error: c.cpu }).min(vmCpuRange.min, c.cpu).max(vmCpuRange.max, c.cpu)
export const MemoryMb = z
  .int({ error: c.memory })
  .min(vmMemoryRangeMb.min, c.memory)
  .max(vmMemoryRangeMb.max, c.memory)

export const RootDiskGb = z
  .int({ error: c.rootDisk })
  .min(rootDiskRangeGb.min, c.rootDisk)
  .max(rootDiskRangeGb.max, c.rootDisk)

/** A disk that a new VM gets. */
export const VmCreateDisk = z.object({
  disk_id: z.string({ error: t.diskMissing }).min(1, t.diskMissing).max(64, t.diskMissing),
})

export const VmCreate = z.object({
  name: name(t.nameMissing),
  template_id: z.string({ error: t.templateMissing }).min(1, t.templateMissing).max(64, t.templateMissing),
  ssh_key_id: SshKeyId,
  persistent: z.boolean().default(true),
  disks: z
    .array(VmCreateDisk, { error: t.diskMissing })
    .max(disksPerVm, `Attach at most ${disksPerVm} disks`)
    .refine((disks) => new Set(disks.map((disk) => disk.disk_id)).size === disks.length, t.diskMissing)
    .default([]),
  /** Ports to share at once, with the audience project. */
  share_ports: z
    .array(GuestPort, { error: shareTexts.portMissing })
    .max(sharesPerVm, shareTexts.tooMany)
    .refine((ports) => new Set(ports).size === ports.length, shareTexts.twice)
    .default([]),
  /** Left out: those of the template. */
  cpu: Cpu.optional(),
  memory_mb: MemoryMb.optional(),
  /** At least what the template has; null or left out: that. The guest makes use of it when it boots. */
  root_disk_gb: RootDiskGb.nullish(),
  note: Note.default(''),
  tags: VmTags.default([]),
  delete_protection: DeleteProtection.default(false),
  /** Run once by the guest, as root, when it boots for the first time: a program (`#!`) or `#cloud-config`. */
  start_script: StartScriptText.optional(),
  /** May be repeated in the body; then it must be the project of the path. */
  project_id: z.string().optional(),
})
export type VmCreate = z.input<typeof VmCreate>

/** What is left out stays as it is. */
export const VmUpdate = z
  .object({
    /** SSH by name and the project's network know it by the new one at once, its guest from its next boot on. */
    name: name(t.nameMissing).optional(),
    note: Note.optional(),
    tags: VmTags.optional(),
    delete_protection: DeleteProtection.optional(),
    /** One of your keys, in place of the one before: while it runs where its guest has an agent, else from its next start on. */
    ssh_key_id: SshKeyId.optional(),
    /** More: while it runs, where its guest takes it; else from its next boot on. */
    cpu: Cpu.optional(),
    memory_mb: MemoryMb.optional(),
    /** Only larger: at once, also while it runs. */
    root_disk_gb: RootDiskGb.optional(),
    /** From its next boot on: without, its root disk starts from the template again each time. */
    persistent: z.boolean({ error: c.persistent }).optional(),
    /** Suspend it when it was not used for so long; null: never. */
    suspend_after_minutes: z
      .int({ error: t.suspendAfter })
      .min(1, t.suspendAfter)
      .max(longestUnusedMinutes, t.suspendAfter)
      .nullable()
      .optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), c.nothing)
export type VmUpdate = z.input<typeof VmUpdate>

/** Copies of a VM, or of what is in a snapshot of one. */
export const VmCopies = z.object({
  /** Of the copy; several get numbers behind it. */
  name: name(t.nameMissing),
  count: z.int({ error: t.copyCount }).min(1, t.copyCount).max(copiesAtOnce, t.copyCount).default(1),
})
export type VmCopies = z.input<typeof VmCopies>

export const VmStop = z.object({
  /** Power off at once, without the guest shutting down. */
  force: z.boolean().default(false),
})

export const VmParams = ProjectParams.extend({ vmId: Id })

const notFound = [messages.projectNotFound, messages.vmNotFound]

export const vmApi = {
  list: endpoint('vm.list', {
    summary: 'All VMs of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(Vm),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('vm.create', {
    summary: 'Create a VM; it answers at once with the status pending',
    auth: 'session',
    status: 201,
    idempotent: true,
    bodyBytes: startScriptBodyBytes,
    params: ProjectParams,
    body: VmCreate,
    response: Vm,
    errors: {
      400: [
        t.nameMissing,
        t.templateMissing,
        t.sshKeyMissing,
        t.diskMissing,
        c.cpu,
        c.memory,
        c.rootDisk,
        rootDiskTooSmall('<n>'),
        c.note,
        c.tag,
        c.tooManyTags,
        c.protection,
        t.projectMismatch,
        shareTexts.portMissing,
        shareTexts.tooMany,
        shareTexts.twice,
        ...Object.values(startScriptTexts),
      ],
      404: [messages.projectNotFound],
      409: ['Disk "<name>" is not available', quotaRefusal, shareTexts.noPortLeft],
      422: ['A sentence of `cannot.ports`', shareTexts.httpOff],
    },
  }),
  get: endpoint('vm.get', {
    summary: 'One VM',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: Vm,
    errors: { 404: notFound },
  }),
  update: endpoint('vm.update', {
    summary: 'Change a VM; what is left out stays as it is',
    auth: 'session',
    status: 200,
    params: VmParams,
    body: VmUpdate,
    response: Vm,
    errors: {
      400: [
        c.nothing,
        t.nameMissing,
        t.sshKeyMissing,
        c.note,
        c.tag,
        c.tooManyTags,
        c.protection,
        c.cpu,
        c.memory,
        c.rootDisk,
        'Disks can only be enlarged. Enter at least <size>.',
        c.persistent,
        t.suspendAfter,
      ],
      404: notFound,
      409: [c.ofGroup, quotaRefusal, diskTexts.vmNotReady],
      422: [
        '<`cannot.suspend` of the host>',
        '<`cannot.change_keys` of the host>',
        '<`cannot.grow_root_disks` of the host>',
      ],
    },
  }),
  delete: endpoint('vm.delete', {
    summary: 'Delete a VM: it goes to the bin if it was ever ready; attached disks are kept',
    auth: 'session',
    status: 204,
    params: VmParams,
    query: ForGood,
    errors: { 404: notFound, 409: [deleteProtected, ...overlapRefusals('binVm', 'deleteVm')] },
  }),
  start: endpoint('vm.start', {
    summary: 'Start a stopped or broken VM; a suspended one goes on where it was',
    auth: 'session',
    status: 202,
    params: VmParams,
    response: Vm,
    errors: { 404: notFound, 409: ['VM cannot be started while it is <status>'] },
  }),
  stop: endpoint('vm.stop', {
    summary:
      'Stop a VM: ACPI power-down, after 30 s (or with force at once) hard power-off; discards the memory of a suspended one',
    auth: 'session',
    status: 202,
    params: VmParams,
    body: VmStop.default({ force: false }),
    response: Vm,
    errors: { 404: notFound, 409: ['VM cannot be stopped while it is <status>'] },
  }),
  suspend: endpoint('vm.suspend', {
    summary:
      'Suspend a running VM: its memory is saved to disk and freed, and its next start goes on from there',
    auth: 'session',
    status: 202,
    params: VmParams,
    response: Vm,
    errors: {
      404: notFound,
      409: ['VM cannot be suspended while it is <status>', ...overlapRefusals('suspend')],
      422: ['<`cannot.suspend` of the host>'],
    },
  }),
  keepAwake: endpoint('vm.keepAwake', {
    summary: 'Count as a use of a running VM: the time without use begins anew',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: Vm,
    errors: { 404: notFound, 409: [notRunning] },
  }),
  fork: endpoint('vm.fork', {
    summary:
      'Make copies of a VM with its disks and, where it runs, its memory; each goes on with an identity of its own',
    auth: 'session',
    status: 202,
    params: VmParams,
    body: VmCopies,
    response: z.array(Vm),
    errors: {
      400: [t.nameMissing, t.copyCount],
      404: notFound,
      409: ['VM cannot be forked while it is <status>', ...overlapRefusals('fork'), quotaRefusal],
      422: ['<`cannot.copies` of the host>'],
    },
  }),
  restart: endpoint('vm.restart', {
    summary: 'Stop a running VM and start it again',
    auth: 'session',
    status: 202,
    params: VmParams,
    response: Vm,
    errors: { 404: notFound, 409: ['VM cannot be restarted while it is <status>'] },
  }),
}
