import { VmSnapshotScheduleSet } from '@slipway/contract'
import { describe, expect, it } from 'vitest'
import type { SnapshotSchedule } from '../../api/snapshot-schedules.ts'
import { fieldsOf, toBody } from './schedule-form.ts'

const none: SnapshotSchedule = {
  vm_id: 'v',
  snapshot_type: 'disk',
  ...{ hourly: null, daily: null, weekly: null, time_zone: 'UTC', paused: false },
  ...{ next_at: null, last: null, missed: null, not_deleted: null },
}
const fields = fieldsOf(none, 'Europe/Berlin')

describe('the form of a schedule', () => {
  it('begins with seven nights where the reader is', () => {
    const body = {
      ...{ hourly: null, daily: { time: '03:00', keep: 7 }, weekly: null },
      ...{ time_zone: 'Europe/Berlin', paused: false, snapshot_type: 'disk' },
    }
    expect(toBody(fields)).toEqual({ body })
    expect(VmSnapshotScheduleSet.parse(body)).toEqual(body)
  })

  it('begins with what is set, and asks for that again', () => {
    const weekly = { weekday: 'monday' as const, time: '04:30', keep: 3 }
    const set = { ...none, hourly: { minute: 15, keep: 2 }, weekly, time_zone: 'Asia/Tokyo', paused: true }
    expect(toBody(fieldsOf(set, 'Europe/Berlin'))).toEqual({
      body: {
        ...{ hourly: set.hourly, daily: null, weekly },
        ...{ time_zone: 'Asia/Tokyo', paused: true, snapshot_type: 'disk' },
      },
    })
  })

  it.each([
    [{ daily: false }, 'Choose hourly, daily or weekly snapshots'],
    [{ dailyKeep: 0 }, 'Keep between 1 and 90 daily snapshots'],
    [{ dailyKeep: 1.5 }, 'Keep between 1 and 90 daily snapshots'],
    [{ dailyTime: '' }, 'Enter a time such as 03:00'],
    [{ dailyTime: '3 am' }, 'Enter a time such as 03:00'],
    [{ hourly: true, minute: 60 }, 'Enter a minute between 0 and 59'],
    [{ hourly: true, hourlyKeep: 169 }, 'Keep between 1 and 168 hourly snapshots'],
    [{ weekly: true, weeklyKeep: 53 }, 'Keep between 1 and 52 weekly snapshots'],
    [{ weekly: true, weeklyTime: '' }, 'Enter a time such as 03:00'],
    [{ timeZone: 'Mars' }, 'Enter the name of a time zone, such as Europe/Berlin or UTC'],
  ])('says what is wrong with %j', (change, broken) => {
    expect(toBody({ ...fields, ...change })).toEqual({ broken })
  })

  it('does not mind what is switched off', () => {
    expect(toBody({ ...fields, hourlyKeep: 0, minute: 99, weeklyTime: '', timeZone: ' UTC ' })).toMatchObject(
      {
        body: { hourly: null, weekly: null, time_zone: 'UTC' },
      },
    )
  })
})
