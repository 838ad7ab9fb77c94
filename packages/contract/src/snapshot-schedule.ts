import { z } from 'zod'
import { DiskParams } from './disk.ts'
import { DiskSnapshotType } from './disk-snapshot.ts'
import { endpoint } from './endpoint.ts'
import { messages } from './error.rules.ts'
import { ProjectParams } from './project.ts'
import {
  hasRhythm,
  isTimeZone,
  type SnapshotRhythm,
  type SnapshotRhythms,
  snapshotScheduleTexts,
  snapshotsKept,
  timeOfDayPattern,
  weekdays,
} from './snapshot-schedule.rules.ts'
import { Id, Time } from './text.ts'
import { VmParams } from './vm.ts'
import { VmSnapshotType } from './vm-snapshot.ts'

const t = snapshotScheduleTexts

function keepOf(rhythm: SnapshotRhythm) {
  const { min, max } = snapshotsKept[rhythm]
  const error = t.keepInvalid[rhythm]
  return z.int({ error }).min(min, error).max(max, error)
}

const TimeOfDay = z.string({ error: t.timeInvalid }).regex(timeOfDayPattern, t.timeInvalid)

const Day = z.enum(weekdays, { error: t.weekdayInvalid }).meta({ id: 'Weekday' })

export const HourlySnapshots = z.object({
  minute: z.int({ error: t.minuteInvalid }).min(0, t.minuteInvalid).max(59, t.minuteInvalid),
  /** How many are kept; older ones are deleted when a newer one is ready. */
  keep: keepOf('hourly'),
})

export const DailySnapshots = z.object({
  /** `03:00`. A time that a clock change skips is made up for right after it; one that comes twice counts once. */
  time: TimeOfDay,
  /** How many are kept; older ones are deleted when a newer one is ready. */
  keep: keepOf('daily'),
})

export const WeeklySnapshots = z.object({
  weekday: Day,
  /** `03:00`, as for daily ones. */
  time: TimeOfDay,
  /** How many are kept; older ones are deleted when a newer one is ready. */
  keep: keepOf('weekly'),
})

const Rhythms = z.object({
  hourly: HourlySnapshots.nullable().default(null),
  daily: DailySnapshots.nullable().default(null),
  weekly: WeeklySnapshots.nullable().default(null),
  /** A name of the IANA database, such as `Europe/Berlin`. */
  time_zone: z
    .string({ error: t.timeZoneInvalid })
    .max(64, t.timeZoneInvalid)
    .refine(isTimeZone, t.timeZoneInvalid)
    .default('UTC'),
  /** Nothing is taken or deleted while it is paused. */
  paused: z.boolean().default(false),
})

/** Refuses a schedule without any rhythm. */
export function requireRhythm(rhythms: SnapshotRhythms, context: z.RefinementCtx): void {
  const verdict = hasRhythm(rhythms)
  if (verdict !== true) context.addIssue({ code: 'custom', message: verdict, path: ['daily'] })
}

export const VmSnapshotScheduleSet = Rhythms.extend({
  /** Of each snapshot. */
  snapshot_type: VmSnapshotType.default('disk'),
}).superRefine(requireRhythm)
export const DiskSnapshotScheduleSet = Rhythms.extend({
  /** Of each snapshot. */
  snapshot_type: DiskSnapshotType.default('full'),
}).superRefine(requireRhythm)
export type VmSnapshotScheduleSet = z.input<typeof VmSnapshotScheduleSet>
export type DiskSnapshotScheduleSet = z.input<typeof DiskSnapshotScheduleSet>

/**
 * What came of a snapshot that was due. `creating`, `ready` and `failed` are of the snapshot that was taken, `deleted`
 * says that it is not there any more, `missed` that none was taken.
 */
export const ScheduledOutcome = z.enum(['creating', 'ready', 'failed', 'deleted', 'missed'])
export type ScheduledOutcome = z.infer<typeof ScheduledOutcome>

export const LastScheduled = z.object({
  /** When it was due. */
  due_at: Time,
  outcome: ScheduledOutcome,
  /** Null where none was taken. */
  snapshot_id: Id.nullable(),
  /** Why it failed or was missed; else null. */
  message: z.string().nullable(),
})

export const MissedSnapshots = z.object({
  count: z.int(),
  /** When the first and the last of them were due. */
  since: Time,
  until: Time,
  /** Why the last of them was missed. */
  reason: z.string(),
})

/** Without any rhythm there is no schedule. */
const Schedule = z.object({
  hourly: HourlySnapshots.nullable(),
  daily: DailySnapshots.nullable(),
  weekly: WeeklySnapshots.nullable(),
  /** A name of the IANA database, such as `Europe/Berlin`. */
  time_zone: z.string(),
  paused: z.boolean(),
  /** When the next snapshot is due; null while it is paused, and where there is no schedule. */
  next_at: Time.nullable(),
  /** Null until one was due. */
  last: LastScheduled.nullable(),
  /** Those that were missed lately: none was for a week where this is null. */
  missed: MissedSnapshots.nullable(),
  /** Why snapshots are kept beyond the number that was set; else null. */
  not_deleted: z.string().nullable(),
})

export const VmSnapshotSchedule = Schedule.extend({ vm_id: Id, snapshot_type: VmSnapshotType })
export type VmSnapshotSchedule = z.infer<typeof VmSnapshotSchedule>

export const DiskSnapshotSchedule = Schedule.extend({ disk_id: Id, snapshot_type: DiskSnapshotType })
export type DiskSnapshotSchedule = z.infer<typeof DiskSnapshotSchedule>

const ofVm = [messages.projectNotFound, messages.vmNotFound]
const ofDisk = [messages.projectNotFound, messages.diskNotFound]
const broken = [
  t.noRhythm,
  ...Object.values(t.keepInvalid),
  t.minuteInvalid,
  t.timeInvalid,
  t.weekdayInvalid,
  t.timeZoneInvalid,
]

export const vmSnapshotScheduleApi = {
  list: endpoint('vmSnapshotSchedule.list', {
    summary: 'The snapshot schedules of the VMs of a project; VMs without one are left out',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(VmSnapshotSchedule),
    errors: { 404: [messages.projectNotFound] },
  }),
  get: endpoint('vmSnapshotSchedule.get', {
    summary:
      'The snapshot schedule of a VM, and what came of it; all its rhythms are null where there is none',
    auth: 'session',
    status: 200,
    params: VmParams,
    response: VmSnapshotSchedule,
    errors: { 404: ofVm },
  }),
  set: endpoint('vmSnapshotSchedule.set', {
    summary: 'Set when snapshots of a VM are taken, and how many are kept, in place of what was set before',
    auth: 'session',
    status: 200,
    params: VmParams,
    body: VmSnapshotScheduleSet,
    response: VmSnapshotSchedule,
    errors: { 400: broken, 404: ofVm, 422: ['<`cannot.memory_snapshots` of the host>'] },
  }),
  delete: endpoint('vmSnapshotSchedule.delete', {
    summary: 'Delete the snapshot schedule of a VM; the snapshots that it took are kept',
    auth: 'session',
    status: 204,
    params: VmParams,
    errors: { 404: ofVm },
  }),
}

export const diskSnapshotScheduleApi = {
  list: endpoint('diskSnapshotSchedule.list', {
    summary: 'The snapshot schedules of the disks of a project; disks without one are left out',
    auth: 'session',
    status: 200,
    params: ProjectParams,
    response: z.array(DiskSnapshotSchedule),
    errors: { 404: [messages.projectNotFound] },
  }),
  get: endpoint('diskSnapshotSchedule.get', {
    summary:
      'The snapshot schedule of a disk, and what came of it; all its rhythms are null where there is none',
    auth: 'session',
    status: 200,
    params: DiskParams,
    response: DiskSnapshotSchedule,
    errors: { 404: ofDisk },
  }),
  set: endpoint('diskSnapshotSchedule.set', {
    summary: 'Set when snapshots of a disk are taken, and how many are kept, in place of what was set before',
    auth: 'session',
    status: 200,
    params: DiskParams,
    body: DiskSnapshotScheduleSet,
    response: DiskSnapshotSchedule,
    errors: { 400: broken, 404: ofDisk, 422: ['<`cannot.incremental_snapshots` of the host>'] },
  }),
  delete: endpoint('diskSnapshotSchedule.delete', {
    summary: 'Delete the snapshot schedule of a disk; the snapshots that it took are kept',
    auth: 'session',
    status: 204,
    params: DiskParams,
    errors: { 404: ofDisk },
  }),
}
