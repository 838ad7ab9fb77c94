import { describeRhythms, hasRhythm, type SnapshotRhythms } from '@slipway/contract'
import type { SnapshotSchedule } from '../../api/snapshot-schedules.ts'
import { formatDateTime } from '../../time.ts'

export const isSet = (schedule: SnapshotRhythms): boolean => hasRhythm(schedule) === true

/** `Daily at 03:00, keeps 7`, with the time zone where that is not the one of the reader. */
export function rhythmsText(schedule: SnapshotSchedule, ownZone: string): string {
  const text = describeRhythms(schedule)
  const zone = schedule.time_zone === ownZone ? '' : ` (${schedule.time_zone})`
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${zone}`
}

export function nextText({ paused, next_at }: Pick<SnapshotSchedule, 'paused' | 'next_at'>): string {
  if (paused) return 'Paused. No snapshots are taken.'
  return next_at === null ? '' : `Next: ${formatDateTime(next_at)}`
}

/** What somebody should look at, as sentences. */
export function troublesOf({
  last,
  missed,
  not_deleted,
}: Pick<SnapshotSchedule, 'last' | 'missed' | 'not_deleted'>): string[] {
  const troubles: string[] = []
  if (last?.outcome === 'failed')
    troubles.push(`The last snapshot failed.${last.message === null ? '' : ` ${last.message}`}`)
  if (missed) {
    const { count, since, until, reason } = missed
    const what =
      count === 1
        ? `The snapshot of ${formatDateTime(since)} was missed.`
        : `${count} snapshots were missed between ${formatDateTime(since)} and ${formatDateTime(until)}.`
    troubles.push(`${what} ${reason}`)
  }
  if (not_deleted !== null) troubles.push(`Older snapshots are kept beyond the number set. ${not_deleted}`)
  return troubles
}
