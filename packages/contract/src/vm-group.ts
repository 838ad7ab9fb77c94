import { z } from 'zod'
import { disksPerVm } from './disk.rules.ts'
import { Id, nameOrBlank, Time } from './text.ts'
import {
  groupDiskNameLimit,
  groupDisksProblem,
  groupDiskTexts,
  groupEventKinds,
  groupSnapshotTexts,
} from './vm-group.rules.ts'

export const GroupDiskSource = z.enum(['EMPTY', 'SNAPSHOT'])

/** A disk that every member gets for itself, named `<name>-<number of the member>`. */
export const GroupDisk = z.object({
  name: z.string(),
  /** In whole Gi, with the unit: `10Gi`. */
  size: z.string(),
  /** Blank, or a copy of that in the VM snapshot which the members are made of. */
  source: GroupDiskSource,
})
export type GroupDisk = z.infer<typeof GroupDisk>

export const GroupDiskCreate = z.object({
  name: nameOrBlank(
    groupDiskTexts.nameMissing,
    groupDiskNameLimit,
    `Use at most ${groupDiskNameLimit} characters for the name of a disk`,
  ).default(''),
  size: z
    .string({ error: groupDiskTexts.sizeMissing })
    .trim()
    .max(40, 'Please enter a valid disk size')
    .default(''),
  source: z.literal('EMPTY').default('EMPTY'),
})

/** Names and sizes are looked at by `refineGroupDisks`, after the fields that stand before them. */
export const GroupDisks = z
  .array(GroupDiskCreate)
  .max(disksPerVm, `Attach at most ${disksPerVm} disks`)
  .default([])

/** The VM snapshot that the members are made of, each as *New VM* of the snapshot is; null: of the template alone. */
export const GroupSnapshot = z
  .string({ error: groupSnapshotTexts.missing })
  .min(1, groupSnapshotTexts.missing)
  .max(64, groupSnapshotTexts.missing)
  .nullable()
  .default(null)

/** For `superRefine`: says the first thing that is wrong with the disks of a group. */
export function refineGroupDisks(
  {
    disks,
    snapshot_id,
    persistent,
    cpu,
    memory_mb,
    root_disk_gb,
    start_script,
  }: {
    disks: { name: string; size: string }[]
    snapshot_id: string | null
    persistent: boolean
    cpu?: number | undefined
    memory_mb?: number | undefined
    root_disk_gb?: number | null | undefined
    start_script?: string | undefined
  },
  context: z.RefinementCtx,
): void {
  if (snapshot_id !== null && disks.length > 0)
    context.addIssue({ code: 'custom', path: ['disks'], message: groupSnapshotTexts.disks })
  if (snapshot_id !== null && !persistent)
    context.addIssue({ code: 'custom', path: ['persistent'], message: groupSnapshotTexts.persistent })
  for (const [field, size] of Object.entries({ cpu, memory_mb }))
    if (snapshot_id !== null && size !== undefined)
      context.addIssue({ code: 'custom', path: [field], message: groupSnapshotTexts.machineSize })
  if (snapshot_id !== null && root_disk_gb != null)
    context.addIssue({ code: 'custom', path: ['root_disk_gb'], message: groupSnapshotTexts.rootDisk })
  if (snapshot_id !== null && start_script !== undefined)
    context.addIssue({ code: 'custom', path: ['start_script'], message: groupSnapshotTexts.startScript })
  const problem = groupDisksProblem(disks)
  if (problem) context.addIssue({ code: 'custom', path: ['disks', problem.index], message: problem.message })
}

export const GroupEventKind = z.enum(groupEventKinds)

/** What happened to a group, with its reason in a sentence. */
export const GroupEvent = z.object({
  id: Id,
  at: Time,
  kind: GroupEventKind,
  /** Such as `CPU 82 % over 60 s, above 75 %: 2 to 3`. */
  message: z.string(),
  /** Wanted number of members before and after; equal when it stayed. */
  from_size: z.int(),
  to_size: z.int(),
})
export type GroupEvent = z.infer<typeof GroupEvent>

/** One look at a group: how many members there were and how hard they worked. */
export const GroupSample = z.object({
  at: Time,
  /** Mean CPU use of the running members, from 0 to 100; null when it could not be known. */
  cpu: z.number().nullable(),
  current_size: z.int(),
  desired_size: z.int(),
})
export type GroupSample = z.infer<typeof GroupSample>

/** The last hour of samples since the server started, oldest first, and the last 200 events, newest first. */
export const GroupHistory = z.object({ samples: z.array(GroupSample), events: z.array(GroupEvent) })
export type GroupHistory = z.infer<typeof GroupHistory>
