const dateTime = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
})
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
// In the language of the console, because it stands among its words.
const relative = new Intl.RelativeTimeFormat('en', { style: 'short', numeric: 'always' })
const shortDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

function format(formatter: Intl.DateTimeFormat, moment: string | number): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? 'Unknown' : formatter.format(date)
}

/** Date, time and time zone as the browser's locale writes them; takes an ISO moment. */
export function formatDateTime(iso: string): string {
  return format(dateTime, iso)
}

/** `Nov 20, 2026`, whatever the locale: template cards only (catalogue G-121). */
export function formatShortDate(iso: string): string {
  return format(shortDate, iso)
}

/** Time of day with seconds; takes milliseconds since 1970. */
export function formatClock(ms: number): string {
  return format(clock, ms)
}

/** Time of day without seconds; takes milliseconds since 1970. */
export function formatMinute(ms: number): string {
  return format(minute, ms)
}

/** `just now`, `40 sec. ago`, `5 min. ago`, `3 hr. ago`; nothing for what is older than a day. Takes an ISO moment. */
export function formatAgo(iso: string, nowMs: number): string {
  const seconds = Math.round((nowMs - Date.parse(iso)) / 1000)
  if (seconds < 5) return 'just now'
  if (seconds < 60) return relative.format(-seconds, 'second')
  if (seconds < 3600) return relative.format(-Math.floor(seconds / 60), 'minute')
  return seconds < 86_400 ? relative.format(-Math.floor(seconds / 3600), 'hour') : ''
}

/** As `formatAgo`, and date and time of what is older than a day. */
export function formatAgoOrDate(iso: string, nowMs: number): string {
  return formatAgo(iso, nowMs) || formatDateTime(iso)
}
