/** When the next backup is due: pure. */

export type Schedule = { everyHours: number } | { atMinute: number } | null

export interface Times {
  /** When the server that asks was started. */
  startedAt: number
  /** When the newest good backup was begun; null when there is none yet. */
  goodAt: number | null
  /** When the last attempt ended, if it failed. */
  failedAt: number | null
}

const minuteMs = 60_000
const dayMs = 86_400_000
/** After a failure it is tried again so much later, whatever the schedule says. */
const againMs = 30 * minuteMs

/** In milliseconds since the epoch; null when backups are made by hand only. What was missed is due at once. */
export function nextBackupAt(schedule: Schedule, { startedAt, goodAt, failedAt }: Times): number | null {
  if (schedule === null) return null
  const due =
    'everyHours' in schedule
      ? goodAt === null
        ? startedAt
        : goodAt + schedule.everyHours * 60 * minuteMs
      : nextAtMinute(goodAt ?? startedAt, schedule.atMinute)
  return failedAt === null ? due : Math.max(due, failedAt + againMs)
}

/** The first time of that minute of the day (UTC) after a moment. */
function nextAtMinute(after: number, minute: number): number {
  const today = Math.floor(after / dayMs) * dayMs + minute * minuteMs
  return today > after ? today : today + dayMs
}

/** From which age on the newest backup is too old: when two in a row are missing. */
export const tooOldMs = (schedule: Exclude<Schedule, null>): number =>
  2 * ('everyHours' in schedule ? schedule.everyHours * 60 * minuteMs : dayMs) + 60 * minuteMs
