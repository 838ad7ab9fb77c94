import { describe, expect, it } from 'vitest'
import type { SnapshotSchedule } from '../../api/snapshot-schedules.ts'
import { formatDateTime } from '../../time.ts'
import { isSet, nextText, rhythmsText, troublesOf } from './schedule-words.ts'

const at = '2026-11-26T03:00:00.000Z'
const later = '2026-11-26T04:00:00.000Z'
const none: SnapshotSchedule = {
  vm_id: 'v',
  snapshot_type: 'disk',
  ...{ hourly: null, daily: null, weekly: null, time_zone: 'UTC', paused: false },
  ...{ next_at: null, last: null, missed: null, not_deleted: null },
}
const nightly = { ...none, daily: { time: '03:00', keep: 7 }, next_at: at }

describe('a schedule in words', () => {
  it('is there when it has a rhythm', () => {
    expect(isSet(none)).toBe(false)
    expect(isSet(nightly)).toBe(true)
  })

  it('says when and how many, and the time zone where it is another', () => {
    expect(rhythmsText(nightly, 'UTC')).toBe('Daily at 03:00, keeps 7')
    expect(rhythmsText(nightly, 'Europe/Berlin')).toBe('Daily at 03:00, keeps 7 (UTC)')
  })

  it('says when it is due next, unless it is paused', () => {
    expect(nextText(nightly)).toBe(`Next: ${formatDateTime(at)}`)
    expect(nextText({ paused: true, next_at: null })).toBe('Paused. No snapshots are taken.')
    expect(nextText(none)).toBe('')
  })

  it('tells what failed, what was missed and what could not be deleted', () => {
    expect(troublesOf(nightly)).toEqual([])
    const last = { due_at: at, outcome: 'failed', snapshot_id: 's', message: 'No space.' } as const
    const one = { count: 1, since: at, until: at, reason: 'The server was not running at that time.' }
    expect(troublesOf({ last, missed: one, not_deleted: 'Snapshot is in use.' })).toEqual([
      'The last snapshot failed. No space.',
      `The snapshot of ${formatDateTime(at)} was missed. The server was not running at that time.`,
      'Older snapshots are kept beyond the number set. Snapshot is in use.',
    ])
    const two = { ...one, count: 2, until: later }
    expect(troublesOf({ last: { ...last, outcome: 'ready' }, missed: two, not_deleted: null })).toEqual([
      `2 snapshots were missed between ${formatDateTime(at)} and ${formatDateTime(later)}. ${one.reason}`,
    ])
  })
})
