import { expect, test } from 'vitest'
import { formatClock, formatDateTime, formatMinute, formatShortDate } from './time.ts'

const noon = '2026-11-20T12:00:00.000Z'

test('a short date is in the form of the United States in every locale', () => {
  expect(formatShortDate(noon)).toBe('Nov 20, 2026')
})

test('a full date has the day and the time', () => {
  expect(formatDateTime(noon)).toMatch(/2026.*\d{1,2}[:.]\d{2}/)
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
