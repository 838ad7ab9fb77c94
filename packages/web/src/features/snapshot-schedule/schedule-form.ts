import {
  hasRhythm,
  isTimeZone,
  type SnapshotRhythm,
  type SnapshotRhythms,
  snapshotRhythms,
  snapshotScheduleTexts,
  snapshotsKept,
  timeOfDayPattern,
  type Weekday,
} from '@slipway/contract'
import type { SnapshotSchedule, SnapshotScheduleSet } from '../../api/snapshot-schedules.ts'
import { isSet } from './schedule-words.ts'

export interface ScheduleFields {
  hourly: boolean
  minute: number
  hourlyKeep: number
  daily: boolean
  dailyTime: string
  dailyKeep: number
  weekly: boolean
  weekday: Weekday
  weeklyTime: string
  weeklyKeep: number
  timeZone: string
  type: SnapshotSchedule['snapshot_type']
  paused: boolean
}

/** What the form begins with: what is set, or seven nights in the time zone of whoever sets it. */
export function fieldsOf(schedule: SnapshotSchedule, ownZone: string): ScheduleFields {
  const { hourly, daily, weekly } = schedule
  const isNew = !isSet(schedule)
  return {
    hourly: hourly !== null,
    minute: hourly?.minute ?? 0,
    hourlyKeep: hourly?.keep ?? snapshotsKept.hourly.default,
    daily: isNew || daily !== null,
    dailyTime: daily?.time ?? '03:00',
    dailyKeep: daily?.keep ?? snapshotsKept.daily.default,
    weekly: weekly !== null,
    weekday: weekly?.weekday ?? 'sunday',
    weeklyTime: weekly?.time ?? '03:00',
    weeklyKeep: weekly?.keep ?? snapshotsKept.weekly.default,
    timeZone: isNew ? ownZone : schedule.time_zone,
    type: schedule.snapshot_type,
    paused: schedule.paused,
  }
}

function rhythmsOf(form: ScheduleFields): SnapshotRhythms {
  return {
    hourly: form.hourly ? { minute: form.minute, keep: form.hourlyKeep } : null,
    daily: form.daily ? { time: form.dailyTime, keep: form.dailyKeep } : null,
    weekly: form.weekly ? { weekday: form.weekday, time: form.weeklyTime, keep: form.weeklyKeep } : null,
  }
}

const isWithin = (value: number, { min, max }: { min: number; max: number }) =>
  Number.isInteger(value) && value >= min && value <= max

function brokenRhythm(rhythm: SnapshotRhythm, { [rhythm]: rules }: SnapshotRhythms): string | undefined {
  if (!rules) return undefined
  if ('minute' in rules && !isWithin(rules.minute, { min: 0, max: 59 }))
    return snapshotScheduleTexts.minuteInvalid
  if ('time' in rules && !timeOfDayPattern.test(rules.time)) return snapshotScheduleTexts.timeInvalid
  return isWithin(rules.keep, snapshotsKept[rhythm]) ? undefined : snapshotScheduleTexts.keepInvalid[rhythm]
}

/** What the form asks for, or the first broken rule. */
export function toBody(form: ScheduleFields): { body: SnapshotScheduleSet } | { broken: string } {
  const rhythms = rhythmsOf(form)
  const any = hasRhythm(rhythms)
  const zone = isTimeZone(form.timeZone.trim()) ? undefined : snapshotScheduleTexts.timeZoneInvalid
  const broken =
    any === true
      ? (snapshotRhythms.map((rhythm) => brokenRhythm(rhythm, rhythms)).find((one) => one) ?? zone)
      : any
  if (broken !== undefined) return { broken }
  const { type, paused } = form
  return {
    // Of the kind that the fields were made of.
    body: {
      ...rhythms,
      time_zone: form.timeZone.trim(),
      paused,
      snapshot_type: type,
    } as SnapshotScheduleSet,
  }
}
