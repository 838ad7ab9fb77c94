import { z } from 'zod'
import { type DiskSource, diskSources, diskStatuses, diskTexts, tooSmall } from './disk.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { overlapRefusals } from './overlap.rules.ts'
import { ProjectParams } from './project.ts'
import { diskSizeLimitGi, parseDiskSize } from './quantity.ts'
import { quotaRefusal } from './quota.rules.ts'
import { isWebAddress } from './template.rules.ts'
import { description, Id, name, Time } from './text.ts'

export const DiskStatus = z.enum(diskStatuses)
export type DiskStatus = z.infer<typeof DiskStatus>

/** What the content of a disk came from. */
export const DiskOrigin = z.enum(['blank', 'image', 'snapshot', 'upload'])

export const Disk = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  status: DiskStatus,
  status_message: z.string().nullable(),
  /** When the present status began. */
  status_since: Time,
  /** How much of its content is there, from 0 to 1; null when it is not being made or nobody knows. */
  progress: z.number().min(0).max(1).nullable(),
  /** In whole Gi, with the unit: `10Gi`. */
  size: z.string(),
  size_gb: z.int(),
  /** What it is being made larger to, in whole Gi; null when its size does not change. */
  next_size_gb: z.int().nullable(),
  disk_type: z.literal('standard'),
  source: DiskOrigin,
  image_url: z.string().nullable(),
  /** SHA-256 of the image it was made from, in hex, as it was fetched or uploaded. */
  image_sha256: z.string().nullable(),
  vm_id: Id.nullable(),
  vm_name: z.string().nullable(),
  /** It was made for a VM of a pool or set and goes with it; taking it off that VM ends this. */
  deleted_with_vm: z.boolean(),
  created_at: Time,
})
export type Disk = z.infer<typeof Disk>

const t = diskTexts

/** A size people type; it stays text here, `parseDiskSize` reads it. */
export const DiskSize = z
  .string({ error: t.sizeMissing })
  .trim()
  .min(1, t.sizeMissing)
  .max(40, 'Please enter a valid disk size')
  .superRefine((text, context) => {
    const size = parseDiskSize(text)
    if (text !== '' && typeof size === 'string') context.addIssue({ code: 'custom', message: size })
  })

/** Which field each source needs, and what to say when it is missing. */
const needed: Partial<Record<DiskSource, ['image_url' | 'disk_sansphot', string]>> = {
  HTTP: ['image_url', t.imageUrlMissing],
  SNAPSHOT: ['disk_sansphot', t.snapshotMissing],
  REGISTRY: ['image_url', t.containerImageMissing],
}

const Source = z
  .enum(Object.keys(diskSources) as [DiskSource, ...DiskSource[]], { error: t.sourceInvalid })
  .meta({ id: 'DiskSource' })

const optionalText = z.string().trim().max(2048, 'Use at most 2048 characters').optional()

export const DiskCreate = z
  .object({
    name: name(t.nameMissing),
    size: DiskSize,
    source: Source,
    image_url: optionalText,
    /** The name of a snapshot, spelt as the specification has it. */
    disk_sansphot: optionalText,
    /** Says which snapshot is meant where names are ambiguous. */
    snapshot_id: Id.optional(),
    description,
  })
  .superRefine((disk, context) => {
    const [field, message] = needed[disk.source] ?? []
    if (field && !disk[field]) context.addIssue({ code: 'custom', path: [field], message })
    else if (disk.source === 'HTTP' && !isWebAddress(disk.image_url ?? ''))
      context.addIssue({ code: 'custom', path: ['image_url'], message: t.imageUrlInvalid })
  })
export type DiskCreate = z.input<typeof DiskCreate>

/** What is left out stays as it is. */
export const DiskUpdate = z
  .object({
    name: name(t.nameMissing).optional(),
    description: description.unwrap().optional(),
    /** At least what it has: disks only become larger. The size that it has takes back a larger one that is not there yet. */
    size: DiskSize.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), t.nothing)
export type DiskUpdate = z.input<typeof DiskUpdate>

export const DiskAttach = z.object({
  vm_id: z.string({ error: t.vmMissing }).min(1, t.vmMissing).max(64, t.vmMissing),
})

export const DiskParams = ProjectParams.extend({ diskId: Id })

const notFound = [messages.projectNotFound, messages.diskNotFound]

/** What a download may be refused with, of a disk or of a snapshot. */
export const downloadRefusals = {
  422: ['<`cannot.disk_files` of the host>'],
  429: [t.manyDownloads],
} as const

export const diskApi = {
  list: endpoint('disk.list', {
    summary: 'The data disks of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: z.object({
      status: z.string().optional(),
      source: z.string().optional(),
      vm_id: z.string().optional(),
    }),
    response: z.array(Disk),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('disk.create', {
    summary: 'Create a disk: blank, from an image, from a snapshot or from a container registry',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: ProjectParams,
    body: DiskCreate,
    response: Disk,
    errors: {
      400: [
        t.nameMissing,
        t.sizeMissing,
        'Please enter a valid disk size',
        `Disk size cannot exceed ${diskSizeLimitGi}Gi`,
        t.sourceInvalid,
        t.imageUrlMissing,
        t.snapshotMissing,
        t.containerImageMissing,
        'Disk snapshot "<name>" not found',
      ],
      404: [messages.projectNotFound],
      409: ['Snapshot is not ready', quotaRefusal],
    },
  }),
  update: endpoint('disk.update', {
    summary: 'Change a disk; what is left out stays as it is. A larger size comes while its VM runs',
    auth: 'session',
    status: 200,
    params: DiskParams,
    body: DiskUpdate,
    response: Disk,
    errors: {
      400: [t.nothing, t.nameMissing, t.sizeMissing, tooSmall('<size>')],
      404: notFound,
      409: [t.notGrowable, t.vmNotReady, quotaRefusal],
      422: ['<`cannot.grow_disks` of the host>'],
    },
  }),
  delete: endpoint('disk.delete', {
    summary: 'Delete a disk that is on no VM: it goes to the bin',
    auth: 'session',
    status: 204,
    params: DiskParams,
    query: ForGood,
    errors: { 404: notFound, 409: [t.beingCreated, ...overlapRefusals('deleteDisk')] },
  }),
  attach: endpoint('disk.attach', {
    summary: 'Put a disk on a VM, running or stopped',
    auth: 'session',
    status: 200,
    params: DiskParams,
    body: DiskAttach,
    response: Disk,
    errors: {
      400: [t.vmMissing],
      404: notFound,
      409: ['Disk "<name>" is not available', t.vmNotReady, ...overlapRefusals('attach')],
      422: ['<`cannot.hot_plug` of the host>'],
    },
  }),
  detach: endpoint('disk.detach', {
    summary: 'Take a disk off its VM; a running guest has ten seconds to let go of it',
    auth: 'session',
    status: 200,
    params: DiskParams,
    response: Disk,
    errors: {
      404: notFound,
      409: [
        t.notAttached,
        t.notReleased,
        'Disk cannot be detached while its VM is <status>',
        ...overlapRefusals('detach'),
      ],
      422: ['<`cannot.hot_plug` of the host>'],
    },
  }),
  download: endpoint('disk.download', {
    summary: 'Download a disk that is on no VM as a qcow2 file; a part of it by `Range`',
    auth: 'session',
    status: 200,
    params: DiskParams,
    answers: 'file',
    errors: {
      404: notFound,
      409: [t.downloadAttached, 'Disk "<name>" is not available'],
      ...downloadRefusals,
    },
  }),
}
