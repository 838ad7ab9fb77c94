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
import { poolSizesAllowed, vmPoolDefaults, vmPoolStatuses, vmPoolTexts } from './vm-pool.rules.ts'
import { vmSnapshotTexts } from './vm-snapshot.rules.ts'

export const VmPoolStatus = z.enum(vmPoolStatuses)
export type VmPoolStatus = z.infer<typeof VmPoolStatus>

export const VmPool = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  status: VmPoolStatus,
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
  /** VMs of the pool that exist, failed ones left out. */
  current_size: z.int(),
  desired_size: z.int(),
  min_size: z.int(),
  max_size: z.int(),
  auto_scaling: z.boolean(),
  persistent: z.boolean(),
  disks: z.array(GroupDisk),
  ...rolledOut,
  created_at: Time,
})
export type VmPool = z.infer<typeof VmPool>

const t = vmPoolTexts
const size = (minimum: number, message: string) => z.int({ error: t.notANumber }).min(minimum, message)
const sizes = {
  min_size: size(0, 'Minimum size must be at least 0.'),
  max_size: size(1, 'Maximum size must be at least 1.'),
  desired_size: size(1, t.desiredOutside),
}

export const VmPoolCreate = z
  .object({
    name: name(t.nameMissing),
    ssh_key_id: z.string({ error: t.sshKeyMissing }).min(1, t.sshKeyMissing).max(64, t.sshKeyMissing),
    template_id: z.string({ error: t.templateMissing }).min(1, t.templateMissing).max(64, t.templateMissing),
    description,
    min_size: sizes.min_size.default(vmPoolDefaults.min_size),
    max_size: sizes.max_size.default(vmPoolDefaults.max_size),
    desired_size: sizes.desired_size.default(vmPoolDefaults.desired_size),
    persistent: z.boolean().default(vmPoolDefaults.persistent),
    auto_scaling: z.boolean().default(vmPoolDefaults.auto_scaling),
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
  .superRefine((pool, context) => {
    const verdict = poolSizesAllowed(pool)
    if (verdict !== true) {
      const field = verdict === t.desiredOutside ? 'desired_size' : 'max_size'
      context.addIssue({ code: 'custom', path: [field], message: verdict })
    } else refineGroupDisks(pool, context)
  })
export type VmPoolCreate = z.input<typeof VmPoolCreate>

/** What is not named stays; the sizes must fit each other afterwards. */
export const VmPoolUpdate = z.object({ ...sizes, auto_scaling: z.boolean() }).partial()
export type VmPoolUpdate = z.input<typeof VmPoolUpdate>

export const VmPoolRollOut = rollOutBody(t)
export type VmPoolRollOut = z.input<typeof VmPoolRollOut>

export const VmPoolWithVms = VmPool.extend({ vms: z.array(Vm), revisions: z.array(VmRevision) })

/** What the autoscaler goes by. Percent and seconds. */
const Policy = z
  .object({
    sample_every_s: z.number(),
    up_above: z.number(),
    up_after_s: z.number(),
    down_below: z.number(),
    down_after_s: z.number(),
    pause_s: z.number(),
  })
  .meta({ id: 'ScalingPolicy' })

export const VmPoolHistory = GroupHistory.extend({
  policy: Policy,
  /** What the autoscaler thought last, in a sentence; null when it is off or has not looked yet. */
  verdict: z.string().nullable(),
})

export const VmPoolParams = ProjectParams.extend({ poolId: Id })

const notFound = [messages.projectNotFound, messages.vmPoolNotFound]

export const vmPoolApi = {
  list: endpoint('vmPool.list', {
    summary: 'The VM pools of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(VmPool),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('vmPool.create', {
    summary: 'Create a VM pool; its VMs are made one after the other',
    auth: 'session',
    status: 201,
    idempotent: true,
    bodyBytes: startScriptBodyBytes,
    params: ProjectParams,
    body: VmPoolCreate,
    response: VmPool,
    errors: {
      400: [
        t.nameMissing,
        t.sshKeyMissing,
        t.templateMissing,
        t.minAboveMax,
        t.desiredOutside,
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
  update: endpoint('vmPool.update', {
    summary: 'Change the sizes of a VM pool, or whether it scales automatically',
    auth: 'session',
    status: 200,
    params: VmPoolParams,
    body: VmPoolUpdate,
    response: VmPool,
    errors: {
      400: [t.minAboveMax, t.desiredOutside],
      404: notFound,
      409: [quotaRefusal],
    },
  }),
  rollOut: endpoint('vmPool.rollOut', {
    summary:
      'Give all VMs of a VM pool another template, size, root disk, SSH key or start script: they are replaced one by one',
    auth: 'session',
    status: 200,
    bodyBytes: startScriptBodyBytes,
    params: VmPoolParams,
    body: VmPoolRollOut,
    response: VmPool,
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
  continueRollOut: endpoint('vmPool.continueRollOut', {
    summary: 'Continue the roll-out of a VM pool that is paused',
    auth: 'session',
    status: 200,
    params: VmPoolParams,
    response: VmPool,
    errors: { 404: notFound, 409: [rollOutTexts.notPaused] },
  }),
  stopRollOut: endpoint('vmPool.stopRollOut', {
    summary: 'Stop the roll-out of a VM pool: no more VMs are replaced, and new ones have the new settings',
    auth: 'session',
    status: 200,
    params: VmPoolParams,
    response: VmPool,
    errors: { 404: notFound, 409: [rollOutTexts.noneRuns] },
  }),
  delete: endpoint('vmPool.delete', {
    summary: 'Delete a VM pool: it goes to the bin with its VMs and the disks that were made for them',
    auth: 'session',
    status: 204,
    params: VmPoolParams,
    query: ForGood,
    errors: { 404: notFound, 409: [t.hasProtected, t.inUse] },
  }),
  get: endpoint('vmPool.get', {
    summary: 'One VM pool with its VMs, oldest first',
    auth: 'session',
    status: 200,
    params: VmPoolParams,
    response: VmPoolWithVms,
    errors: { 404: notFound },
  }),
  history: endpoint('vmPool.history', {
    summary: 'How a VM pool was scaled and why, and how hard its VMs worked',
    auth: 'session',
    status: 200,
    params: VmPoolParams,
    response: VmPoolHistory,
    errors: { 404: notFound },
  }),
}
