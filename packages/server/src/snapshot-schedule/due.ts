/** When snapshots of a schedule are due. Pure: the time comes as an argument. */
import { type SnapshotRhythm, type SnapshotRhythms, snapshotRhythms, weekdays } from '@slipway/contract'
import { daysLater, instantOf, type WallTime, wallTimeOf, weekdayOf } from '../lib/zone-time.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** What was missed before is not counted. */
const countedMs = 366 * dayMs

/** Some snapshots that are due, of which one is taken. */
export interface Due {
  /** The coarsest rhythm of those that are due. */
  rhythm: SnapshotRhythm
  /** When that was due last, in milliseconds since the epoch. */
  at: number
  /** The due times that this snapshot does not make up for, oldest first. */
  missed: number[]
}

type RulesOf<R extends SnapshotRhythm> = NonNullable<SnapshotRhythms[R]>

/** The first instant after another at which the clocks show a minute. */
function nextHourly(zone: string, { minute }: RulesOf<'hourly'>, after: number): number {
  let ms = (Math.floor(after / minuteMs) + 1) * minuteMs
  // Where clocks are changed by half an hour, the minutes that are left are others than before.
  for (;;) {
    const left = (minute - wallTimeOf(zone, ms).minute + 60) % 60
    if (left === 0) return ms
    ms += left * minuteMs
  }
}

/** The first instant after another at which it is a time of day, on a day that fits. */
function nextOnDay(zone: string, time: string, after: number, fits: (day: WallTime) => boolean): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const today = { ...wallTimeOf(zone, after), hour, minute }
  // Yesterday's may be skipped by the clocks, and so come today. A week has all days, and one may be no day of the zone.
  for (let days = -1; days <= 8; days++) {
    const day = daysLater(today, days)
    const ms = instantOf(zone, day)
    if (fits(day) && ms > after) return ms
  }
  throw new Error(`It is never ${time} in ${zone}`)
}

function nextOf(
  rhythms: SnapshotRhythms,
  rhythm: SnapshotRhythm,
  zone: string,
  after: number,
): number | null {
  const { hourly, daily, weekly } = rhythms
  switch (rhythm) {
    case 'hourly':
      return hourly && nextHourly(zone, hourly, after)
    case 'daily':
      return daily && nextOnDay(zone, daily.time, after, () => true)
    case 'weekly':
      return (
        weekly && nextOnDay(zone, weekly.time, after, (day) => weekdays[weekdayOf(day)] === weekly.weekday)
      )
  }
}

/** When a schedule is due next after an instant; null when it has no rhythm. */
export function nextDue(rhythms: SnapshotRhythms, zone: string, after: number): number | null {
  const all = snapshotRhythms.flatMap((rhythm) => nextOf(rhythms, rhythm, zone, after) ?? [])
  return all.length > 0 ? Math.min(...all) : null
}

/**
 * What is due between two instants, both included. One snapshot makes up for the last due time of each rhythm; all
 * earlier ones are missed. Null when nothing is due.
 */
export function dueBetween(rhythms: SnapshotRhythms, zone: string, from: number, until: number): Due | null {
  const all = new Set<number>()
  const made = new Set<number>()
  let due: Omit<Due, 'missed'> | null = null
  for (const rhythm of snapshotRhythms) {
    let last: number | null = null
    let ms = nextOf(rhythms, rhythm, zone, Math.max(from, until - countedMs) - 1)
    while (ms !== null && ms <= until) {
      all.add(ms)
      last = ms
      ms = nextOf(rhythms, rhythm, zone, ms)
    }
    if (last === null) continue
    made.add(last)
    due = { rhythm, at: last }
  }
  return due && { ...due, missed: [...all].filter((ms) => !made.has(ms)).sort((one, other) => one - other) }
}

/** What the snapshot of a due time is called: `daily 2026-11-26 03:00`, by the clocks of the zone. */
export function nameOf({ rhythm, at }: Pick<Due, 'rhythm' | 'at'>, zone: string): string {
  const { year, month, day, hour, minute } = wallTimeOf(zone, at)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${rhythm} ${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}

/** A name that is not taken: itself, or with the first number that makes it one. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const one = number === 1 ? name : `${name} (${number})`
    if (!taken.has(one)) return one
  }
}
