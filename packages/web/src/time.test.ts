import { expect, test } from 'vitest'
import {
  formatAgo,
  formatAgoOrDate,
  formatClock,
  formatDateTime,
  formatMinute,
  formatShortDate,
} from './time.ts'

const noon = '2026-11-20T12:00:00.000Z'

test('a short date is in the form of the United States in every locale', () => {
  expect(formatShortDate(noon)).toBe('Nov 20, 2026')
})

test('a full date has the day, the time and the time zone', () => {
  const zone = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' })
    .formatToParts(new Date(noon))
    .find(({ type }) => type === 'timeZoneName')?.value
  expect(formatDateTime(noon)).toMatch(/2026.*\d{1,2}[:.]\d{2}/)
  expect(formatDateTime(noon)).toContain(zone)
})

test.each([
  [-3, 'just now'],
  [4, 'just now'],
  [40, '40 sec. ago'],
  [119, '1 min. ago'],
  [7200, '2 hr. ago'],
  [86_400, ''],
])('what happened %i s ago was "%s"', (seconds, text) => {
  const now = Date.parse(noon)
  expect(formatAgo(new Date(now - seconds * 1000).toISOString(), now)).toBe(text)
})

test('what happened more than a day ago has its date', () => {
  const now = Date.parse(noon)
  expect(formatAgoOrDate(noon, now + 40_000)).toBe('40 sec. ago')
  expect(formatAgoOrDate(noon, now + 86_400_000)).toBe(formatDateTime(noon))
})

test('a time of day has seconds and 24 hours', () => {
  expect(formatClock(new Date(2026, 10, 20, 14, 2, 31).getTime())).toBe('14:02:31')
})

test('where seconds do not matter, a time of day has none', () => {
  expect(formatMinute(new Date(2026, 10, 20, 4, 2, 31).getTime())).toBe('04:02')
})

test('what is no moment is shown as a word', () => {
  expect(formatShortDate('soon')).toBe('Unknown')
})
