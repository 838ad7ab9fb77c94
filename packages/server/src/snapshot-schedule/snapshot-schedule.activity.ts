/** What the activity log says of snapshot schedules: about the VM or the disk that they are of. */
import { describeRhythms } from '@slipway/contract'
import { type Entry, entry, failure, type Told, wish } from '../activity/entry.ts'
import type { Scheduled, ScheduleSettings } from './snapshot-schedule.repo.ts'

const words = {
  vm: { action: 'vmSnapshotSchedule', title: 'VM' },
  disk: { action: 'diskSnapshotSchedule', title: 'disk' },
} as const

const about = ({ kind, id, name, projectId }: Scheduled, nowMs: number, told: Told): Entry =>
  entry(nowMs, { type: kind, id, name, projectId }, told)

const titleOf = ({ kind, name }: Scheduled) => `${words[kind].title} ${name}`

export function scheduleSet(of: Scheduled, settings: ScheduleSettings, userId: string, nowMs: number): Entry {
  const rhythms = `${describeRhythms(settings.rhythms)} (${settings.timeZone})`
  const message = settings.paused
    ? `Set the snapshot schedule of ${titleOf(of)}, paused: ${rhythms}`
    : `Set the snapshot schedule of ${titleOf(of)}: ${rhythms}`
  return about(of, nowMs, wish(userId, `${words[of.kind].action}.set`, message))
}

export function scheduleDeleted(of: Scheduled, userId: string, nowMs: number): Entry {
  const message = `Deleted the snapshot schedule of ${titleOf(of)}`
  return about(of, nowMs, wish(userId, `${words[of.kind].action}.delete`, message))
}

/** Some were due, and were not taken. */
export function snapshotsMissed(of: Scheduled, count: number, reason: string, nowMs: number): Entry {
  const what = count === 1 ? 'A scheduled snapshot' : `${count} scheduled snapshots`
  const message = `${what} of ${titleOf(of)} ${count === 1 ? 'was' : 'were'} missed`
  return about(of, nowMs, failure(`${words[of.kind].action}.missed`, message, reason))
}
