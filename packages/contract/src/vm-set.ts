import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { ProjectParams } from './project.ts'
import { quotaRefusal } from './quota.rules.ts'
import { keptRootDiskTooSmall, rollOutTexts } from './roll-out.rules.ts'
import { rolledOut, rollOutBody, VmRevision } from './roll-out.ts'
import { startScriptBodyBytes, startScriptTexts } from './start-script.rules.ts'
import { StartScriptText } from './start-script-text.ts'
import { description, Id, name, Time } from './text.ts'
import { Cpu, MemoryMb, RootDiskGb, Vm } from './vm.ts'
import { rootDiskTooSmall, vmChangeTexts } from './vm-change.rules.ts'
import { groupSnapshotTexts } from './vm-group.rules.ts'
import { GroupDisk, GroupDisks, GroupHistory, GroupSnapshot, refineGroupDisks } from './vm-group.ts'
import { vmSetReplicas, vmSetStatuses, vmSetTexts } from './vm-set.rules.ts'
import { vmSnapshotTexts } from './vm-snapshot.rules.ts'

export const VmSetStatus = z.enum(vmSetStatuses)
export type VmSetStatus = z.infer<typeof VmSetStatus>

export const VmSet = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  status: VmSetStatus,
  /** One sentence: what it waits for or why it failed. Null when fine. */
  status_message: z.string().nullable(),
  /** When the status became what it is. */
  status_since: Time,
  template_id: Id,
  template_name: z.string(),
  /** The VM snapshot that its VMs are made of; null where they are made of the template alone. */
  snapshot_id: Id.nullable(),
  ssh_key_id: Id,
  ssh_key_name: z.string(),
  /** How many VMs it holds. */
  replicas: z.int(),
  /** How many exist now, and how many of them run. */
  vm_stats: z.object({ total_vms: z.int(), running_vms: z.int() }),
  persistent: z.boolean(),
  disks: z.array(GroupDisk),
  ...rolledOut,
  created_at: Time,
})
export type VmSet = z.infer<typeof VmSet>

const t = vmSetTexts
const replicas = z.int({ error: t.tooFew }).min(vmSetReplicas.min, t.tooFew).max(vmSetReplicas.max, t.tooMany)

export const VmSetCreate = z
  .object({
    name: name(t.nameMissing),
    ssh_key_id: z.string({ error: t.sshKeyMissing }).min(1, t.sshKeyMissing).max(64, t.sshKeyMissing),
    template_id: z.string({ error: t.templateMissing }).min(1, t.templateMissing).max(64, t.templateMissing),
    description,
    replicas: replicas.default(vmSetReplicas.default),
    persistent: z.boolean().default(true),
    /** Of each VM; left out: those of the template. */
    cpu: Cpu.optional(),
    memory_mb: MemoryMb.optional(),
    /** Of each VM, at least what the template has; null or left out: that. */
    root_disk_gb: RootDiskGb.nullish(),
    disks: GroupDisks,
    snapshot_id: GroupSnapshot,
    /** Each VM runs it. */
    start_script: StartScriptText.optional(),
  })
  .superRefine(refineGroupDisks)
export type VmSetCreate = z.input<typeof VmSetCreate>

export const VmSetUpdate = z.object({ replicas })
export type VmSetUpdate = z.input<typeof VmSetUpdate>

export const VmSetRollOut = rollOutBody(t)
export type VmSetRollOut = z.input<typeof VmSetRollOut>

export const VmSetWithVms = VmSet.extend({ vms: z.array(Vm), revisions: z.array(VmRevision) })

export const VmSetParams = ProjectParams.extend({ setId: Id })

const notFound = [messages.projectNotFound, messages.vmSetNotFound]

export const vmSetApi = {
  list: endpoint('vmSet.list', {
    summary: 'The VM sets of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(VmSet),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('vmSet.create', {
    summary: 'Create a VM set; its VMs are made one after the other',
    auth: 'session',
    status: 201,
    idempotent: true,
    bodyBytes: startScriptBodyBytes,
    params: ProjectParams,
    body: VmSetCreate,
    response: VmSet,
    errors: {
      400: [
        t.nameMissing,
        t.sshKeyMissing,
        t.templateMissing,
        t.tooFew,
        t.tooMany,
        'Please enter a name for disk #n',
        'Please enter a size for disk #n',
        'Please enter a valid disk size',
        vmChangeTexts.cpu,
        vmChangeTexts.memory,
        vmChangeTexts.rootDisk,
        rootDiskTooSmall('<n>'),
        ...Object.values(groupSnapshotTexts),
        ...Object.values(startScriptTexts),
      ],
      404: [messages.projectNotFound],
      409: [vmSnapshotTexts.notReady, vmSnapshotTexts.vmGone, quotaRefusal],
      422: ['<`cannot.copies` of the host>'],
    },
  }),
  update: endpoint('vmSet.update', {
    summary: 'Change how many VMs a VM set holds',
    auth: 'session',
    status: 200,
    params: VmSetParams,
    body: VmSetUpdate,
    response: VmSet,
    errors: {
      400: [t.tooFew, t.tooMany],
      404: notFound,
      409: [quotaRefusal],
    },
  }),
  rollOut: endpoint('vmSet.rollOut', {
    summary:
      'Give all VMs of a VM set another template, size, root disk, SSH key or start script: they are replaced one by one',
    auth: 'session',
    status: 200,
    bodyBytes: startScriptBodyBytes,
    params: VmSetParams,
    body: VmSetRollOut,
    response: VmSet,
    errors: {
      400: [
        t.templateMissing,
        t.sshKeyMissing,
        vmChangeTexts.cpu,
        vmChangeTexts.memory,
        vmChangeTexts.rootDisk,
        rootDiskTooSmall('<n>'),
        keptRootDiskTooSmall('<n>'),
        rollOutTexts.deleteDisks,
        rollOutTexts.deleteDisksSaid,
        ...Object.values(startScriptTexts),
      ],
      404: notFound,
      409: [rollOutTexts.nothing, rollOutTexts.ofSnapshot, quotaRefusal],
    },
  }),
  continueRollOut: endpoint('vmSet.continueRollOut', {
    summary: 'Continue the roll-out of a VM set that is paused',
    auth: 'session',
    status: 200,
    params: VmSetParams,
    response: VmSet,
    errors: { 404: notFound, 409: [rollOutTexts.notPaused] },
  }),
  stopRollOut: endpoint('vmSet.stopRollOut', {
    summary: 'Stop the roll-out of a VM set: no more VMs are replaced, and new ones have the new settings',
    auth: 'session',
    status: 200,
    params: VmSetParams,
    response: VmSet,
    errors: { 404: notFound, 409: [rollOutTexts.noneRuns] },
  }),
  delete: endpoint('vmSet.delete', {
    summary: 'Delete a VM set: it goes to the bin with its VMs and the disks that were made for them',
    auth: 'session',
    status: 204,
    params: VmSetParams,
    query: ForGood,
    errors: { 404: notFound, 409: [t.hasProtected, t.inUse] },
  }),
  get: endpoint('vmSet.get', {
    summary: 'One VM set with its VMs, oldest first',
    auth: 'session',
    status: 200,
    params: VmSetParams,
    response: VmSetWithVms,
    errors: { 404: notFound },
  }),
  history: endpoint('vmSet.history', {
    summary: 'What happened to a VM set and why, and how hard its VMs worked',
    auth: 'session',
    status: 200,
    params: VmSetParams,
    response: GroupHistory,
    errors: { 404: notFound },
  }),
}
