import type { SnapshotRhythms } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wallTimeOf } from '../lib/zone-time.ts'
import { dueBetween, freeName, nameOf, nextDue } from './due.ts'

const hourMs = 60 * 60_000
const none: SnapshotRhythms = { hourly: null, daily: null, weekly: null }
const hourly = (minute = 0) => ({ ...none, hourly: { minute, keep: 24 } })
const daily = (time = '03:00') => ({ ...none, daily: { time, keep: 7 } })
const weekly = (weekday: 'sunday' | 'monday' = 'sunday', time = '03:00') => ({
  ...none,
  weekly: { weekday, time, keep: 4 },
})
const ms = (utc: string) => Date.parse(`${utc}Z`)
const iso = (at: number | null | undefined) => (at == null ? at : new Date(at).toISOString().slice(0, 16))

/** Expects the next due times, in UTC, of the same year. */
function expectSeries(rhythms: SnapshotRhythms, zone: string, after: string, ...times: string[]) {
  let at: number | null = ms(after)
  for (const time of times) {
    at = nextDue(rhythms, zone, at ?? 0)
    expect(iso(at)).toBe(`${after.slice(0, 4)}-${time.replace(' ', 'T')}`)
  }
}

describe('when a schedule is due next', () => {
  it('never, without a rhythm', () => expect(nextDue(none, 'UTC', 0)).toBeNull())

  it('after a due time it is another one', () => {
    expectSeries(daily(), 'UTC', '2026-11-26T02:59:59.999', '11-26 03:00')
    expectSeries(daily(), 'UTC', '2026-11-26T03:00', '11-27 03:00')
    expectSeries(hourly(15), 'UTC', '2026-11-26T03:15', '11-26 04:15')
    expectSeries(weekly(), 'UTC', '2026-11-29T03:00', '12-06 03:00')
  })

  it('it is the first of its rhythms', () => {
    const all = { ...hourly(0), daily: { time: '03:30', keep: 1 }, weekly: weekly().weekly }
    const times = ['11-29 02:00', '11-29 03:00', '11-29 03:30', '11-29 04:00']
    expectSeries(all, 'UTC', '2026-11-29T01:30', ...times)
  })

  it('a daily one that clocks skip comes right after, and the next day on time', () => {
    // On the 29th at 03:30 there, as there is no half past two.
    const times = ['03-28 01:30', '03-29 01:30', '03-30 00:30']
    expectSeries(daily('02:30'), 'Europe/Berlin', '2026-03-28T00:00', ...times)
    expectSeries(daily('00:00'), 'America/Santiago', '2026-09-05T12:00', '09-06 04:00', '09-07 03:00')
  })

  it('a daily one that comes twice is taken once, at first', () => {
    expectSeries(daily('02:30'), 'Europe/Berlin', '2026-10-24T12:00', '10-25 00:30', '10-26 01:30')
    // From between the two.
    expectSeries(daily('02:30'), 'Europe/Berlin', '2026-10-25T01:00', '10-26 01:30')
  })

  it('an hourly one goes on each hour, whatever clocks show', () => {
    for (const day of ['03-29', '10-25']) {
      const times = [`${day} 00:30`, `${day} 01:30`, `${day} 02:30`]
      expectSeries(hourly(30), 'Europe/Berlin', `2026-${day}T00:00`, ...times)
    }
    expectSeries(hourly(0), 'Asia/Kathmandu', '2026-11-26T00:00', '11-26 00:15')
  })

  it('a weekly one is on its day there, which may be another in UTC', () => {
    const [monday, sunday] = [weekly('monday', '03:00'), weekly('sunday', '02:30')]
    expectSeries(monday, 'Asia/Tokyo', '2026-11-26T00:00', '11-29 18:00', '12-06 18:00')
    expectSeries(sunday, 'Europe/Berlin', '2026-03-28T00:00', '03-29 01:30', '04-05 00:30')
  })

  it('a day that a zone leaves out does not stop it', () => {
    const times = ['12-29 13:00', '12-30 13:00', '12-31 13:00']
    expectSeries(daily(), 'Pacific/Apia', '2011-12-28T20:00', ...times)
  })

  const zones = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/St_Johns',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
  )
  const instants = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2032, 0) })
  const minutes = fc.integer({ min: 0, max: 59 })
  const timeOf = (hour: number, minute: number) =>
    `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`

  it('hourly: soon, at its minute', () => {
    fc.assert(
      fc.property(zones, instants, minutes, (zone, after, minute) => {
        const at = nextDue(hourly(minute), zone, after) ?? 0
        expect(at).toBeGreaterThan(after)
        // Clocks of Lord Howe are changed by half an hour.
        expect(at - after).toBeLessThanOrEqual(1.5 * hourMs)
        expect(wallTimeOf(zone, at).minute).toBe(minute)
      }),
    )
  })

  it('daily: within a day and an hour, each day once, on time unless that is skipped', () => {
    fc.assert(
      fc.property(zones, instants, fc.integer({ min: 0, max: 23 }), minutes, (zone, after, hour, minute) => {
        const rhythms = daily(timeOf(hour, minute))
        const at = nextDue(rhythms, zone, after) ?? 0
        expect(at).toBeGreaterThan(after)
        expect(at - after).toBeLessThanOrEqual(25 * hourMs)
        const next = nextDue(rhythms, zone, at) ?? 0
        expect(next - at).toBeGreaterThanOrEqual(23 * hourMs)
        const shown = wallTimeOf(zone, at)
        const late = (shown.hour - hour) * 60 + shown.minute - minute
        expect([0, 30, 60]).toContain(late)
      }),
    )
  })
})

describe('what is due between two instants', () => {
  const due = (rhythms: SnapshotRhythms, from: string, until: string, zone = 'UTC') => {
    const found = dueBetween(rhythms, zone, ms(from), ms(until))
    return found && [found.rhythm, iso(found.at), found.missed.map(iso)]
  }

  it('nothing, between due times', () => {
    expect(due(daily(), '2026-11-26T03:01', '2026-11-27T02:59')).toBeNull()
    expect(due(none, '2026-11-26T03:01', '2027-11-27T02:59')).toBeNull()
  })

  it('one, at its very moment and later', () => {
    const expected = ['daily', '2026-11-26T03:00', []]
    expect(due(daily(), '2026-11-26T03:00', '2026-11-26T03:00')).toEqual(expected)
    expect(due(daily(), '2026-11-26T03:00', '2026-11-27T02:59')).toEqual(expected)
  })

  it('the last of several; those before are missed', () => {
    expect(due(daily(), '2026-11-24T03:00', '2026-11-26T12:00')).toEqual([
      'daily',
      '2026-11-26T03:00',
      ['2026-11-24T03:00', '2026-11-25T03:00'],
    ])
  })

  it('of several rhythms the coarsest, which makes up for the last of the finer ones', () => {
    const all = { ...hourly(0), daily: daily().daily, weekly: weekly().weekly }
    const sunday = '2026-11-29T03:00'
    expect(due(all, sunday, sunday)).toEqual(['weekly', sunday, []])
    expect(due({ ...all, weekly: null }, sunday, sunday)).toEqual(['daily', sunday, []])
    // Off from half past one to half past four: 02:00 was missed, and 03:00, but for the daily one.
    expect(due({ ...all, weekly: null }, '2026-11-28T02:00', '2026-11-28T04:30')).toEqual([
      'daily',
      '2026-11-28T03:00',
      ['2026-11-28T02:00'],
    ])
  })

  it('tells what several rhythms missed in the order of time', () => {
    const both = { ...daily(), weekly: weekly('sunday', '04:00').weekly }
    const dailies = ['23', '24', '25', '26', '27', '28'].map((day) => `2026-11-${day}T03:00`)
    expect(due(both, '2026-11-22T04:00', '2026-11-29T04:00')).toEqual([
      'weekly',
      '2026-11-29T04:00',
      ['2026-11-22T04:00', ...dailies],
    ])
  })

  it('counts those of a year at most, however long nobody looked', () => {
    const found = dueBetween(daily(), 'UTC', ms('1996-01-01T00:00'), ms('2026-11-26T12:00'))
    expect(found?.missed).toHaveLength(365)
  })

  it('each due time is taken, made up for or missed, once', () => {
    const rhythms = fc.record({
      hourly: fc.option(fc.record({ minute: fc.integer({ min: 0, max: 59 }), keep: fc.constant(1) })),
      daily: fc.option(fc.constant({ time: '02:30', keep: 1 })),
      weekly: fc.option(fc.constant({ weekday: 'sunday' as const, time: '02:30', keep: 1 })),
    })
    const days = fc.integer({ min: 0, max: 3 })
    const from = fc.integer({ min: Date.UTC(2026, 2, 20), max: Date.UTC(2026, 10, 5) })
    fc.assert(
      fc.property(rhythms, from, days, (chosen, start, length) => {
        const until = start + length * 24 * hourMs
        const all: number[] = []
        for (let at = nextDue(chosen, 'Europe/Berlin', start - 1); at !== null && at <= until; )
          [at] = [nextDue(chosen, 'Europe/Berlin', all[all.push(at) - 1] ?? 0)]
        const found = dueBetween(chosen, 'Europe/Berlin', start, until)
        expect(found === null).toBe(all.length === 0)
        if (!found) return
        expect(all).toContain(found.at)
        expect(all).toEqual(expect.arrayContaining(found.missed))
        expect(found.missed).not.toContain(found.at)
        // At most one of each rhythm is made up for.
        const madeUp = all.length - found.missed.length
        expect(madeUp).toBeGreaterThanOrEqual(1)
        expect(madeUp).toBeLessThanOrEqual(3)
        // What is missed is older than what is taken, or than the last of a finer rhythm.
        expect(found.missed.every((at) => at < (all.at(-1) ?? 0))).toBe(true)
      }),
      { numRuns: 40 },
    )
  })
})

it('a snapshot is called by its rhythm and the time that clocks showed', () => {
  expect(nameOf({ rhythm: 'daily', at: ms('2026-11-26T02:00') }, 'Europe/Berlin')).toBe(
    'daily 2026-11-26 03:00',
  )
  expect(nameOf({ rhythm: 'hourly', at: ms('2026-01-02T03:04') }, 'UTC')).toBe('hourly 2026-01-02 03:04')
})

it('a name that is taken gets a number', () => {
  expect(freeName('a', new Set())).toBe('a')
  expect(freeName('a', new Set(['a', 'a (2)', 'a (4)']))).toBe('a (3)')
})
