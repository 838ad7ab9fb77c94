import { z } from 'zod'
import { disksPerVm, diskTexts } from './disk.rules.ts'
import { DiskSize } from './disk.ts'
import { GuestPort } from './guest-port.ts'
import { NetworkUpdate } from './network.ts'
import { ProjectCreate } from './project.ts'
import { diskWantedTwice, projectFileTexts, projectFileVersion } from './project-file.rules.ts'
import { parseDiskSize } from './quantity.ts'
import {
  DailySnapshots,
  DiskSnapshotScheduleSet,
  HourlySnapshots,
  requireRhythm,
  VmSnapshotScheduleSet,
  WeeklySnapshots,
} from './snapshot-schedule.ts'
import { StartScriptText } from './start-script-text.ts'
import { isWebAddress } from './template.rules.ts'
import { description, name, nameOrBlank } from './text.ts'
import { Cpu, MemoryMb, RootDiskGb, VmUpdate } from './vm.ts'
import { groupDiskNameLimit, groupDiskTexts } from './vm-group.rules.ts'
import { poolSizesAllowed, vmPoolDefaults, vmPoolTexts } from './vm-pool.rules.ts'
import { VmPoolUpdate } from './vm-pool.ts'
import { VmSetUpdate } from './vm-set.ts'
import { webhookLimits, webhookTexts, webhookTitle } from './webhook.rules.ts'
import { WebhookCreate, WebhookUpdate } from './webhook.ts'

const t = projectFileTexts

/** An object that has these fields and no others. */
const entry = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? t.unknown(issue.keys ?? []) : t.shape),
  })

const nameMissing = 'Write a name in front of the colon'

/** Objects by their names. */
const byName = <Entry extends z.ZodType>(value: Entry) =>
  z.record(name(nameMissing), value, { error: t.shape }).default({})

const Description = description.unwrap().optional()
const Template = z.string({ error: t.template }).min(1, t.template)
const SshKey = z.string({ error: t.sshKey }).min(1, t.sshKey)
const StartScript = StartScriptText.optional()
/** As servers say it: `10Gi`. */
const Size = DiskSize.transform((text) => `${parseDiskSize(text)}Gi`)

const rhythm = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) =>
  entry(shape).nullable().default(null)

/** When snapshots are taken, as a whole: what is left out is off, or as it is by default. */
const rhythms = {
  hourly: rhythm(HourlySnapshots),
  daily: rhythm(DailySnapshots),
  weekly: rhythm(WeeklySnapshots),
}
export const ProjectFileVmSchedule = entry({ ...VmSnapshotScheduleSet.shape, ...rhythms }).superRefine(
  requireRhythm,
)
export type ProjectFileVmSchedule = z.infer<typeof ProjectFileVmSchedule>

export const ProjectFileDiskSchedule = entry({ ...DiskSnapshotScheduleSet.shape, ...rhythms }).superRefine(
  requireRhythm,
)
export type ProjectFileDiskSchedule = z.infer<typeof ProjectFileDiskSchedule>

/** A disk; what it is made from counts when it is made. */
export const ProjectFileDisk = entry({
  size: Size,
  /** Left out: blank. */
  source: z.enum(['EMPTY', 'HTTP', 'REGISTRY'], { error: diskTexts.sourceInvalid }).default('EMPTY'),
  image_url: z.string().trim().max(2048, 'Use at most 2048 characters').optional(),
  description: Description,
  snapshot_schedule: ProjectFileDiskSchedule.optional(),
}).superRefine(({ source, image_url = '' }, context) => {
  const say = (message: string) => context.addIssue({ code: 'custom', path: ['image_url'], message })
  if (source === 'HTTP' && !isWebAddress(image_url))
    say(image_url ? diskTexts.imageUrlInvalid : diskTexts.imageUrlMissing)
  if (source === 'REGISTRY' && !image_url) say(diskTexts.containerImageMissing)
})
export type ProjectFileDisk = z.infer<typeof ProjectFileDisk>

const { name: _, ...changeable } = VmUpdate.shape

/** A VM. What is left out is as the template has it when it is made, and later stays as it is. */
export const ProjectFileVm = entry({
  /** By name or id, as the SSH key. */
  template: Template,
  ssh_key: SshKey,
  ...changeable,
  /** Names of disks; left out, whatever it has stays on it. */
  disks: z
    .array(z.string({ error: t.disk }), { error: t.disk })
    .max(disksPerVm, `Attach at most ${disksPerVm} disks`)
    .optional(),
  snapshot_schedule: ProjectFileVmSchedule.optional(),
  /** These two count when the VM is made. */
  share_ports: z.array(GuestPort).optional(),
  start_script: StartScript,
})
export type ProjectFileVm = z.infer<typeof ProjectFileVm>

const GroupDisks = z
  .array(
    entry({
      name: nameOrBlank(groupDiskTexts.nameMissing, groupDiskNameLimit).min(1, groupDiskTexts.nameMissing),
      size: Size,
    }),
    { error: t.shape },
  )
  .max(disksPerVm, `Attach at most ${disksPerVm} disks`)
  .optional()

const group = {
  template: Template,
  ssh_key: SshKey,
  description: Description,
  persistent: z.boolean({ error: 'Say true or false for persistent storage' }).optional(),
  cpu: Cpu.optional(),
  memory_mb: MemoryMb.optional(),
  root_disk_gb: RootDiskGb.optional(),
  disks: GroupDisks,
  start_script: StartScript,
}

/** A pool. Of one that scales by itself `desired_size` counts when it is made. */
export const ProjectFilePool = entry({ ...group, ...VmPoolUpdate.shape }).superRefine((pool, context) => {
  const told = Object.fromEntries(Object.entries(pool).filter(([, value]) => value !== undefined))
  const verdict = poolSizesAllowed({ ...vmPoolDefaults, ...told })
  if (verdict === true) return
  const field = verdict === vmPoolTexts.desiredOutside ? 'desired_size' : 'max_size'
  context.addIssue({ code: 'custom', path: [field], message: verdict })
})
export type ProjectFilePool = z.infer<typeof ProjectFilePool>

/** A set of fixed size. */
export const ProjectFileSet = entry({ ...group, replicas: VmSetUpdate.shape.replicas.optional() })
export type ProjectFileSet = z.infer<typeof ProjectFileSet>

/** A webhook. Its secret is in no file: each has its own, which only its creation shows. */
export const ProjectFileWebhook = entry({
  url: WebhookCreate.shape.url,
  objects: WebhookUpdate.shape.objects,
  kinds: WebhookUpdate.shape.kinds,
  actions: WebhookUpdate.shape.actions,
  paused: WebhookUpdate.shape.paused,
})
export type ProjectFileWebhook = z.infer<typeof ProjectFileWebhook>

/** Hosts may be longer than what people call things. */
const webhookName = nameOrBlank(nameMissing, 300).min(1, nameMissing)

/** A project and what is in it, by names. */
export const ProjectFile = entry({
  slipway: z.literal(projectFileVersion, { error: t.version }),
  project: ProjectCreate.shape.name,
  description: Description,
  /** Whether its VMs reach the Internet. */
  internet: NetworkUpdate.shape.internet.optional(),
  disks: byName(ProjectFileDisk),
  vms: byName(ProjectFileVm),
  pools: byName(ProjectFilePool),
  sets: byName(ProjectFileSet),
  /** By their descriptions, or the hosts of those that have none. */
  webhooks: z.record(webhookName, ProjectFileWebhook, { error: t.shape }).default({}),
}).superRefine(({ vms, webhooks }, context) => {
  for (const [title, { url }] of Object.entries(webhooks))
    if (title.length > webhookLimits.description && title !== webhookTitle({ url, description: '' }))
      context.addIssue({
        code: 'custom',
        path: ['webhooks', title],
        message: webhookTexts.descriptionTooLong,
      })
  const twice = diskWantedTwice(vms)
  if (twice)
    context.addIssue({ code: 'custom', path: ['vms', twice.vm, 'disks', twice.index], message: t.diskTwice })
})
export type ProjectFile = z.infer<typeof ProjectFile>
