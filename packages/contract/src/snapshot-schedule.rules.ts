/** Snapshots of VMs and disks that are taken at set times. */

/** From the finest to the coarsest: of several that are due at once, one snapshot of the coarsest is taken. */
export const snapshotRhythms = ['hourly', 'daily', 'weekly'] as const
export type SnapshotRhythm = (typeof snapshotRhythms)[number]

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const
export type Weekday = (typeof weekdays)[number]

/**
 * How many snapshots of a rhythm may be kept: all of them are younger than a year, after which a snapshot of a VM
 * expires.
 */
export const snapshotsKept: Readonly<Record<SnapshotRhythm, { min: number; max: number; default: number }>> =
  {
    hourly: { min: 1, max: 168, default: 24 },
    daily: { min: 1, max: 90, default: 7 },
    weekly: { min: 1, max: 52, default: 4 },
  }

const keepInvalid = (rhythm: SnapshotRhythm) =>
  `Keep between ${snapshotsKept[rhythm].min} and ${snapshotsKept[rhythm].max} ${rhythm} snapshots`

export const snapshotScheduleTexts = {
  noRhythm: 'Choose hourly, daily or weekly snapshots',
  keepInvalid: { hourly: keepInvalid('hourly'), daily: keepInvalid('daily'), weekly: keepInvalid('weekly') },
  minuteInvalid: 'Enter a minute between 0 and 59',
  timeInvalid: 'Enter a time such as 03:00',
  weekdayInvalid: 'Select a day of the week',
  timeZoneInvalid: 'Enter the name of a time zone, such as Europe/Berlin or UTC',
  /** Why a snapshot was missed that no server took. */
  serverOff: 'The server was not running at that time.',
} as const

/** When snapshots are taken, and how many of each rhythm are kept. Times are those of the schedule's time zone. */
export interface SnapshotRhythms {
  hourly: { minute: number; keep: number } | null
  daily: { time: string; keep: number } | null
  weekly: { weekday: Weekday; time: string; keep: number } | null
}

export const hasRhythm = (rhythms: SnapshotRhythms): true | string =>
  snapshotRhythms.some((rhythm) => rhythms[rhythm] !== null) || snapshotScheduleTexts.noRhythm

/** A time of day on a clock of 24 hours: `03:00`. */
export const timeOfDayPattern = /^([01]\d|2[0-3]):[0-5]\d$/

/** Whether this is the name of a time zone in the IANA database, as this program knows it. */
export function isTimeZone(name: string): boolean {
  // Offsets such as +01:00 are no names: they know no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** In a line: `hourly at minute 15, keeps 24; daily at 03:00, keeps 7; weekly on Sunday at 03:00, keeps 4`. */
export function describeRhythms({ hourly, daily, weekly }: SnapshotRhythms): string {
  return [
    ...(hourly ? [`hourly at minute ${hourly.minute}, keeps ${hourly.keep}`] : []),
    ...(daily ? [`daily at ${daily.time}, keeps ${daily.keep}`] : []),
    ...(weekly ? [`weekly on ${capital(weekly.weekday)} at ${weekly.time}, keeps ${weekly.keep}`] : []),
  ].join('; ')
}
