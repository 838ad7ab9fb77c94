import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ForGood } from './for-good.ts'
import { overlapRefusals } from './overlap.rules.ts'
import { ProjectParams } from './project.ts'
import { quotaRefusal } from './quota.rules.ts'
import { snapshotRhythms } from './snapshot-schedule.rules.ts'
import { description, Id, name, retention, Time } from './text.ts'
import { Vm, VmCopies, VmDisk, VmParams } from './vm.ts'
import { vmTexts } from './vm-form.rules.ts'
import {
  disksOfThenRefusals,
  snapshotConsistencies,
  vmSnapshotRetention,
  vmSnapshotStatuses,
  vmSnapshotTexts,
  vmSnapshotTypes,
} from './vm-snapshot.rules.ts'

export const VmSnapshotStatus = z.enum(vmSnapshotStatuses)
export type VmSnapshotStatus = z.infer<typeof VmSnapshotStatus>

export const SnapshotConsistency = z.enum(snapshotConsistencies)
export type SnapshotConsistency = z.infer<typeof SnapshotConsistency>

export const ScheduledRhythm = z.enum(snapshotRhythms).meta({ id: 'SnapshotRhythm' })

export const VmSnapshotType = z.enum(vmSnapshotTypes, { error: vmSnapshotTexts.typeInvalid })
export const SnapshotMetadata = z
  .object({ created_by: z.string().max(100), created_at: z.string().max(100) })
  .partial()

export const VmSnapshot = z.object({
  id: Id,
  project_id: Id,
  name: z.string(),
  description: z.string(),
  status: VmSnapshotStatus,
  status_message: z.string().nullable(),
  /** When the present status began. */
  status_since: Time,
  /** How much of it is written, from 0 to 1; null when it is not being made or nobody knows. */
  progress: z.number().min(0).max(1).nullable(),
  vm_id: Id,
  /** As it was when the snapshot was taken. */
  vm_name: z.string(),
  snapshot_type: VmSnapshotType,
  /** Whether a restore resumes what was running; a stopped VM has no memory to save. */
  has_memory: z.boolean(),
  /** Null until it is ready. */
  consistency: SnapshotConsistency.nullable(),
  /** The data disks it holds beside the root disk. */
  disks: z.array(VmDisk),
  /** The automatic snapshot that lets a restore be undone. */
  automatic: z.boolean(),
  /** Which part of the snapshot schedule of its VM took it; null for one that somebody took. */
  scheduled: ScheduledRhythm.nullable(),
  /** Size on disk in MiB; null until it is ready. */
  size_mb: z.int().nullable(),
  retention_days: z.int(),
  /** When it is deleted automatically. */
  expires_at: Time,
  /** As it was sent. */
  metadata: SnapshotMetadata.nullable(),
  created_at: Time,
})
export type VmSnapshot = z.infer<typeof VmSnapshot>

const t = vmSnapshotTexts

export const VmSnapshotCreate = z.object({
  name: name(t.nameMissing),
  description,
  snapshot_type: VmSnapshotType,
  retention_days: retention(vmSnapshotRetention, t.retentionInvalid),
  /** Wins over the type `full`. */
  skip_memory_snapshot: z.boolean().optional(),
  metadata: SnapshotMetadata.optional(),
})
export type VmSnapshotCreate = z.input<typeof VmSnapshotCreate>

export const VmRestore = z.object({
  vm_id: z.string({ error: t.vmMissing }).min(1, t.vmMissing).max(64, t.vmMissing),
})
export const VmRestored = z.object({ message: z.string(), vm: Vm })

export const VmSnapshotParams = ProjectParams.extend({ snapshotId: Id })

const notFound = [messages.projectNotFound, messages.vmSnapshotNotFound]

export const vmSnapshotApi = {
  list: endpoint('vmSnapshot.list', {
    summary: 'The VM snapshots of a project, oldest first',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    query: z.object({
      vm_name: z.string().optional(),
      vm_id: z.string().optional(),
      status: z.string().optional(),
    }),
    response: z.array(VmSnapshot),
    errors: { 404: [messages.projectNotFound] },
  }),
  create: endpoint('vmSnapshot.create', {
    summary: 'Take a snapshot of a running or stopped VM: its disks, or disks and memory',
    auth: 'session',
    status: 201,
    idempotent: true,
    params: VmParams,
    body: VmSnapshotCreate,
    response: VmSnapshot,
    errors: {
      400: [t.nameMissing, t.typeInvalid, t.retentionInvalid],
      404: [messages.projectNotFound, messages.vmNotFound],
      409: [
        'VM must be running or stopped to create a snapshot',
        ...overlapRefusals('vmSnapshot'),
        quotaRefusal,
      ],
      422: ['<`cannot.memory_snapshots` of the host>'],
    },
  }),
  restore: endpoint('vmSnapshot.restore', {
    summary: 'Put a VM back to a snapshot; what it is now is kept for a day',
    auth: 'session',
    status: 202,
    params: VmSnapshotParams,
    body: VmRestore,
    response: VmRestored,
    errors: {
      400: [t.vmMissing, t.otherVm],
      404: notFound,
      409: [
        t.notReady,
        t.vmGone,
        quotaRefusal,
        'VM cannot be restored while it is <status>',
        ...disksOfThenRefusals,
        ...overlapRefusals('restore'),
      ],
    },
  }),
  createVms: endpoint('vmSnapshot.createVms', {
    summary:
      'Create VMs from a snapshot: its disks and, where it has one, its memory; each with an identity of its own',
    auth: 'session',
    status: 202,
    params: VmSnapshotParams,
    body: VmCopies,
    response: z.array(Vm),
    errors: {
      400: [vmTexts.nameMissing, vmTexts.copyCount],
      404: notFound,
      409: [t.notReady, t.vmGone, quotaRefusal],
      422: ['<`cannot.copies` of the host>'],
    },
  }),
  delete: endpoint('vmSnapshot.delete', {
    summary: 'Delete a VM snapshot: it goes to the bin',
    auth: 'session',
    status: 204,
    params: VmSnapshotParams,
    query: ForGood,
    errors: { 404: notFound, 409: [t.inUse] },
  }),
}
