import { z } from 'zod'
import { diskTexts } from './disk.rules.ts'
import { Disk, downloadRefusals } from './disk.ts'
import {
  diskSnapshotRetention,
  diskSnapshotStatuses,
  diskSnapshotTexts,
  diskSnapshotTypes,
} from './disk-snapshot.rules.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { overlapRefusals } from './overlap.rules.ts'
import { ProjectParams } from './project.ts'
import { diskSizeLimitGi } from './quantity.ts'
import { quotaRefusal } from './quota.rules.ts'
import { description, Id, name, retention, Time } from './text.ts'
import { ScheduledRhythm, SnapshotConsistency } from './vm-snapshot.ts'

export const DiskSnapshotStatus = z.enum(diskSnapshotStatuses)
export type DiskSnapshotStatus = z.infer<typeof DiskSnapshotStatus>

export const DiskSnapshotType = z.enum(diskSnapshotTypes, { error: diskSnapshotTexts.typeInvalid })

export const DiskSnapshot = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  /** The disk it was taken of, which may be gone by now. */
  disk_id: Id,
  disk_name: z.string(),
  /** Of the disk, in whole Gi: `10Gi`. */
  size: z.string(),
  /** Its own size on disk in MiB; null until it is ready. */
  stored_mb: z.int().nullable(),
  status: DiskSnapshotStatus,
  status_message: z.string().nullable(),
  /** When the present status began. */
  status_since: Time,
  /** How much of it is written, from 0 to 1; null when it is not being made or nobody knows. */
  progress: z.number().min(0).max(1).nullable(),
  snapshot_type: DiskSnapshotType,
  /** The snapshot an incremental one builds upon; null for a standalone one. */
  parent_id: Id.nullable(),
  /** Null until it is ready. */
  consistency: SnapshotConsistency.nullable(),
  /** Which part of the snapshot schedule of its disk took it; null for one that somebody took. */
  scheduled: ScheduledRhythm.nullable(),
  retention_days: z.int(),
  /** When it is deleted automatically. */
  expires_at: Time,
  created_at: Time,
})
export type DiskSnapshot = z.infer<typeof DiskSnapshot>

const t = diskSnapshotTexts

export const DiskSnapshotCreate = z.object({
  name: name(t.nameMissing),
  disk_id: z.string({ error: t.diskMissing }).min(1, t.diskMissing).max(64, t.diskMissing),
  retention_days: retention(diskSnapshotRetention, t.retentionInvalid),
  snapshot_type: DiskSnapshotType,
  description,
})
export type DiskSnapshotCreate = z.input<typeof DiskSnapshotCreate>

export const DiskFromSnapshot = z.object({
  name: name(diskTexts.nameMissing),
  description,
  size_gb: z
    .int({ error: 'Please enter a valid disk size' })
    .min(1, 'Please enter a valid disk size')
    .max(diskSizeLimitGi, `Disk size cannot exceed ${diskSizeLimitGi}Gi`)
    .default(10),
})
export type DiskFromSnapshot = z.input<typeof DiskFromSnapshot>

export const DiskSnapshotParams = ProjectParams.extend({ diskSnapshotId: Id })

const notFound = [messages.projectNotFound, messages.diskSnapshotNotFound]

export const diskSnapshotApi = {
  list: endpoint('diskSnapshot.list', {
    summary: 'The disk snapshots of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: z.object({
      disk_name: z.string().optional(),
      disk_id: z.string().optional(),
      status: z.string().optional(),
    }),
    response: z.array(DiskSnapshot),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('diskSnapshot.create', {
    summary: 'Take a snapshot of a disk: all of it, or what changed since the newest one',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: ProjectParams,
    body: DiskSnapshotCreate,
    response: DiskSnapshot,
    errors: {
      400: [t.nameMissing, t.diskMissing, t.retentionInvalid, t.typeInvalid],
      404: [messages.projectNotFound],
      409: [
        'Disk must be available or attached to create a snapshot',
        'A disk snapshot named "<name>" already exists in this project',
        ...overlapRefusals('diskSnapshot'),
        quotaRefusal,
      ],
      422: ['<`cannot.incremental_snapshots` of the host>'],
    },
  }),
  delete: endpoint('diskSnapshot.delete', {
    summary: 'Delete a disk snapshot: it goes to the bin; those that build upon it keep everything',
    auth: 'session',
    status: 204,
    params: DiskSnapshotParams,
    query: ForGood,
    errors: { 404: notFound, 409: [t.inUse] },
  }),
  createDisk: endpoint('diskSnapshot.createDisk', {
    summary: 'Create a disk with the content of a disk snapshot',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: DiskSnapshotParams,
    body: DiskFromSnapshot,
    response: Disk,
    errors: {
      400: [diskTexts.nameMissing, 'Please enter a valid disk size'],
      404: notFound,
      409: [t.notReady, quotaRefusal],
    },
  }),
  download: endpoint('diskSnapshot.download', {
    summary: 'Download a disk snapshot as a qcow2 file that depends on no other',
    auth: 'session',
    status: 200,
    params: DiskSnapshotParams,
    answers: 'file',
    errors: { 404: notFound, 409: [t.notReady], ...downloadRefusals },
  }),
}
