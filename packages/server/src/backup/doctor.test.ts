import { describe, expect, it } from 'vitest'
import { findingsOf, noneConfigured, type Seen } from './doctor.ts'

const now = Date.parse('2026-11-28T12:00:00.000Z')
const before = (hours: number) => new Date(now - hours * 3_600_000).toISOString()
const newest = (hours: number, leftOut = 0) => ({
  ...{ id: 'x', at: before(hours), ended_at: before(hours), bytes: 1, added_bytes: 1 },
  left_out: leftOut,
})
const seen = (outcomes: Partial<Seen['outcomes']> = {}, more: Partial<Seen> = {}): Seen => ({
  repository: '/backups',
  schedule: { everyHours: 6 },
  outcomes: { good: newest(4), failure: null, begun_at: null, ...outcomes },
  trouble: null,
  now,
  ...more,
})
const lines = (of: Seen) => findingsOf(of).map(({ state, text }) => `${state}: ${text}`)

describe('backups outside the host', () => {
  it('are a hint where none are configured', () => expect(noneConfigured.state).toBe('note'))

  it.each<[string, Seen, string[]]>([
    ['fine', seen(), ['good: the newest, of 2026-11-28 08:00 UTC, is 4 hours old, in /backups']],
    ['under way', seen({ begun_at: before(0) }), [expect.stringContaining('good: ')]],
    ['as old as they may be', seen({ good: newest(13) }), [expect.stringContaining('good: ')]],
    [
      'too old',
      seen({ good: newest(14) }),
      ['bad: the newest, of 2026-11-27 22:00 UTC, is 14 hours old: two in a row are missing'],
    ],
    [
      'too old for every day',
      seen({ good: newest(50) }, { schedule: { atMinute: 0 } }),
      [expect.stringContaining('bad: ')],
    ],
    ['made by hand', seen({ good: newest(900) }, { schedule: null }), [expect.stringContaining('good: ')]],
    [
      'failing',
      seen({ failure: { at: before(1), message: 'The repository is full.' } }),
      ['bad: the last one failed, at 2026-11-28 11:00 UTC: The repository is full.'],
    ],
    [
      'failing, and too old',
      seen({ good: newest(99), failure: { at: before(1), message: 'Full.' } }),
      [expect.stringContaining('failed'), expect.stringContaining('99 hours old')],
    ],
    [
      'failing from the first one on',
      seen({ good: null, failure: { at: before(1), message: 'Full.' } }),
      [expect.stringContaining('bad: the last one failed')],
    ],
    [
      'out of reach',
      seen({}, { trouble: 'The repository /backups cannot be reached.' }),
      ['bad: The repository /backups cannot be reached.'],
    ],
    [
      'not made yet',
      seen({ good: null }),
      [expect.stringContaining('note: none was made in /backups yet; a running')],
    ],
    [
      'not made yet by hand',
      seen({ good: null }, { schedule: null }),
      ['note: none was made in /backups yet'],
    ],
    [
      'not made yet, but begun',
      seen({ good: null, begun_at: before(2) }),
      ['note: none was made in /backups yet; the first began at 2026-11-28 10:00 UTC'],
    ],
    [
      'begun and never ended',
      seen({ good: null, begun_at: before(14) }),
      [
        expect.stringContaining(
          'bad: none was made in /backups yet; the first began at 2026-11-27 22:00 UTC and',
        ),
      ],
    ],
    ['not whole', seen({ good: newest(1, 2) }), ['note: the newest lacks the files of 2 objects']],
  ])('that are %s', (_, of, expected) => expect(lines(of)).toEqual(expected))
})
