/** Times of day where people live: instants and what the clocks of a time zone show, also when those are changed. */

/** A date and time as the clocks of a zone show it. */
export interface WallTime {
  year: number
  /** 1 to 12. */
  month: number
  day: number
  hour: number
  minute: number
}

const dayMs = 24 * 60 * 60_000

/** To make one takes longer than all else here. */
const formattersAtMost = 1_000
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  // There are fewer zones, but names count in any letter case.
  if (formatters.size >= formattersAtMost) formatters.clear()
  formatters.set(zone, made)
  return made
}

/** What the clocks of a zone show. Throws a RangeError when there is no such zone. */
export function wallTimeOf(zone: string, ms: number): WallTime {
  const shown = { year: 0, month: 0, day: 0, hour: 0, minute: 0 }
  for (const { type, value } of formatterOf(zone).formatToParts(ms))
    if (type in shown) shown[type as keyof WallTime] = Number(value)
  return shown
}

const utcOf = ({ year, month, day, hour, minute }: WallTime) => Date.UTC(year, month - 1, day, hour, minute)

/** By how much the clocks of a zone are ahead of UTC. */
const offsetAt = (zone: string, ms: number): number =>
  utcOf(wallTimeOf(zone, ms)) - Math.floor(ms / 60_000) * 60_000

/**
 * The instant at which the clocks of a zone show a time: the earlier one of a time that comes twice. A time that is
 * skipped counts by the clock that was not put forward yet: half past two in a night without an hour from two is half past three.
 */
export function instantOf(zone: string, wall: WallTime): number {
  const utc = utcOf(wall)
  const before = offsetAt(zone, utc - dayMs)
  const after = offsetAt(zone, utc + dayMs)
  const fitting = [utc - before, utc - after].filter((ms) => offsetAt(zone, ms) === utc - ms)
  return fitting.length > 0 ? Math.min(...fitting) : utc - before
}

/** The same time of day some days later; a negative number goes back. */
export function daysLater(wall: WallTime, days: number): WallTime {
  const date = new Date(Date.UTC(wall.year, wall.month - 1, wall.day + days))
  return { ...wall, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** 0 for a Monday. */
export const weekdayOf = ({ year, month, day }: WallTime): number =>
  (new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 6) % 7
