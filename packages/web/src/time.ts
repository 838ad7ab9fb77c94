const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})
const minute = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const shortDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

function format(formatter: Intl.DateTimeFormat, moment: string | number): string {
  const date = new Date(moment)
  return Number.isNaN(date.getTime()) ? 'Unknown' : formatter.format(date)
}

/** Date and time as the browser's locale writes them; takes an ISO moment. */
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
