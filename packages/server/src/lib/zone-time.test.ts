import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { daysLater, instantOf, wallTimeOf, weekdayOf } from './zone-time.ts'

const iso = (ms: number) => new Date(ms).toISOString().slice(0, 16)
const at = (zone: string, text: string) => {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = text.split(/\D/).map(Number)
  return iso(instantOf(zone, { year, month, day, hour, minute }))
}

describe('the instant of a time of day', () => {
  it.each([
    ['UTC', '2026-11-26 03:00', '2026-11-26T03:00'],
    ['Europe/Berlin', '2026-11-26 03:00', '2026-11-26T02:00'],
    ['Europe/Berlin', '2026-07-01 03:00', '2026-07-01T01:00'],
    ['Asia/Kathmandu', '2026-11-26 03:00', '2026-11-25T21:15'],
  ])('%s: %s is %s in UTC', (zone, text, utc) => expect(at(zone, text)).toBe(utc))

  it.each([
    // From two to three, clocks are put forward.
    ['Europe/Berlin', '2026-03-29 01:59', '2026-03-29T00:59'],
    ['Europe/Berlin', '2026-03-29 02:00', '2026-03-29T01:00'],
    ['Europe/Berlin', '2026-03-29 02:30', '2026-03-29T01:30'],
    ['Europe/Berlin', '2026-03-29 03:00', '2026-03-29T01:00'],
    ['America/New_York', '2026-03-08 02:30', '2026-03-08T07:30'],
    // By half an hour.
    ['Australia/Lord_Howe', '2026-10-04 02:15', '2026-10-03T15:45'],
    // At midnight.
    ['America/Santiago', '2026-09-06 00:30', '2026-09-06T04:30'],
    // A day that was left out.
    ['Pacific/Apia', '2011-12-30 03:00', '2011-12-30T13:00'],
  ])('%s: %s, which is skipped or next to that, is %s in UTC', (zone, text, utc) =>
    expect(at(zone, text)).toBe(utc),
  )

  it.each([
    // From three to two, clocks are put back: the first of the two.
    ['Europe/Berlin', '2026-10-25 01:59', '2026-10-24T23:59'],
    ['Europe/Berlin', '2026-10-25 02:00', '2026-10-25T00:00'],
    ['Europe/Berlin', '2026-10-25 02:59', '2026-10-25T00:59'],
    ['Europe/Berlin', '2026-10-25 03:00', '2026-10-25T02:00'],
    ['America/New_York', '2026-11-01 01:30', '2026-11-01T05:30'],
    ['Australia/Lord_Howe', '2026-04-05 01:45', '2026-04-04T14:45'],
  ])('%s: %s, which comes twice or is next to that, is %s in UTC', (zone, text, utc) =>
    expect(at(zone, text)).toBe(utc),
  )

  it('is the one that clocks show, whenever they show it', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'Africa/Casablanca',
    ]
    const minutes = fc.integer({ min: Date.UTC(2000, 0) / 60_000, max: Date.UTC(2037, 0) / 60_000 })
    fc.assert(
      fc.property(fc.constantFrom(...zones), minutes, (zone, minute) => {
        const ms = minute * 60_000
        const shown = wallTimeOf(zone, ms)
        const found = instantOf(zone, shown)
        // The same, or the earlier of two.
        expect(wallTimeOf(zone, found)).toEqual(shown)
        expect(found).toBeLessThanOrEqual(ms)
        expect(ms - found).toBeLessThanOrEqual(60 * 60_000)
      }),
    )
  })
})

it('days go on over the ends of months and years', () => {
  const eve = { year: 2027, month: 12, day: 31, hour: 3, minute: 0 }
  expect(daysLater(eve, 1)).toEqual({ ...eve, year: 2028, month: 1, day: 1 })
  expect(daysLater({ ...eve, year: 2028, month: 2, day: 28 }, 1)).toMatchObject({ month: 2, day: 29 })
  expect(daysLater({ ...eve, month: 3, day: 1 }, -1)).toMatchObject({ month: 2, day: 28 })
  expect(weekdayOf({ ...eve, year: 2026, month: 11, day: 23 })).toBe(0)
  expect(weekdayOf({ ...eve, year: 2026, month: 11, day: 29 })).toBe(6)
})

it('a zone that does not exist is an error', () => {
  expect(() => wallTimeOf('Europe/Atlantis', 0)).toThrow(RangeError)
})
