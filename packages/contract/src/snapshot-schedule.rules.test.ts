import { describe, expect, it } from 'vitest'
import {
  DiskSnapshotScheduleSet,
  describeRhythms,
  isTimeZone,
  snapshotScheduleTexts as t,
  VmSnapshotScheduleSet,
} from './index.ts'

const daily = { time: '03:00', keep: 7 }

describe('time zones', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
    '%s is one',
    (name) => expect(isTimeZone(name)).toBe(true),
  )
  it.each(['', '+01:00', '-0500', 'Europe/Atlantis', 'Berlin', ' UTC', 'Europe/Berlin\n', '../UTC'])(
    '%j is none',
    (name) => expect(isTimeZone(name)).toBe(false),
  )
})

describe('what is set as a schedule', () => {
  it('has rhythms that are off, UTC and the cheapest snapshots where nothing else is said', () => {
    const common = { hourly: null, daily, weekly: null, time_zone: 'UTC', paused: false }
    expect(VmSnapshotScheduleSet.parse({ daily })).toEqual({ ...common, snapshot_type: 'disk' })
    expect(DiskSnapshotScheduleSet.parse({ daily })).toEqual({ ...common, snapshot_type: 'full' })
  })

  it.each([
    [{}, 'daily', t.noRhythm],
    [{ hourly: null, daily: null, weekly: null }, 'daily', t.noRhythm],
    [{ hourly: { minute: 60, keep: 1 } }, 'hourly.minute', t.minuteInvalid],
    [{ hourly: { minute: 0.5, keep: 1 } }, 'hourly.minute', t.minuteInvalid],
    [{ hourly: { minute: 0, keep: 0 } }, 'hourly.keep', 'Keep between 1 and 168 hourly snapshots'],
    [{ hourly: { minute: 0, keep: 169 } }, 'hourly.keep', t.keepInvalid.hourly],
    [{ daily: { time: '24:00', keep: 1 } }, 'daily.time', t.timeInvalid],
    [{ daily: { time: '103:00', keep: 1 } }, 'daily.time', t.timeInvalid],
    [{ daily: { time: '03:00h', keep: 1 } }, 'daily.time', t.timeInvalid],
    [{ daily: { time: '3:00', keep: 1 } }, 'daily.time', t.timeInvalid],
    [{ daily: { time: '03:00', keep: 91 } }, 'daily.keep', t.keepInvalid.daily],
    [{ weekly: { weekday: 'someday', time: '03:00', keep: 1 } }, 'weekly.weekday', t.weekdayInvalid],
    [{ weekly: { weekday: 'sunday', time: '03:00', keep: 53 } }, 'weekly.keep', t.keepInvalid.weekly],
    [{ daily, time_zone: 'Mars/Olympus' }, 'time_zone', t.timeZoneInvalid],
    [{ daily, time_zone: 7 }, 'time_zone', t.timeZoneInvalid],
  ])('refuses %j with the field and what to enter', (body, field, message) => {
    const { error } = VmSnapshotScheduleSet.safeParse(body)
    expect(error?.issues.map((issue) => [issue.path.join('.'), issue.message])).toEqual([[field, message]])
  })
})

it('a schedule is described in a line', () => {
  const weekly = { weekday: 'sunday' as const, time: '04:30', keep: 4 }
  expect(describeRhythms({ hourly: null, daily, weekly: null })).toBe('daily at 03:00, keeps 7')
  expect(describeRhythms({ hourly: null, daily: null, weekly })).toBe('weekly on Sunday at 04:30, keeps 4')
  expect(describeRhythms({ hourly: { minute: 15, keep: 24 }, daily, weekly })).toBe(
    'hourly at minute 15, keeps 24; daily at 03:00, keeps 7; weekly on Sunday at 04:30, keeps 4',
  )
})
