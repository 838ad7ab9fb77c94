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

  const has = (text: string) => expect.stringContaining(text)
  const full = { at: before(1), message: 'Full.' }
  const none = 'none was made in /backups yet'
  it.each<[string, Seen, string[]]>([
    ['fine', seen(), ['good: the newest, of 2026-11-28 08:00 UTC, is 4 hours old, in /backups']],
    ['under way', seen({ begun_at: before(0) }), [has('good: ')]],
    ['as old as they may be', seen({ good: newest(13) }), [has('good: ')]],
    [
      'too old',
      seen({ good: newest(14) }),
      ['bad: the newest, of 2026-11-27 22:00 UTC, is 14 hours old: two in a row are missing'],
    ],
    ['too old for every day', seen({ good: newest(50) }, { schedule: { atMinute: 0 } }), [has('bad: ')]],
    ['made by hand', seen({ good: newest(900) }, { schedule: null }), [has('good: ')]],
    ['failing', seen({ failure: full }), ['bad: the last one failed, at 2026-11-28 11:00 UTC: Full.']],
    ['failing, and old', seen({ good: newest(99), failure: full }), [has('failed'), has('99 hours old')]],
    ['failing at once', seen({ good: null, failure: full }), [has('bad: the last one failed')]],
    ['out of reach', seen({}, { trouble: 'It is away.' }), ['bad: It is away.']],
    ['not made yet', seen({ good: null }), [has(`note: ${none}; a running`)]],
    ['not made yet by hand', seen({ good: null }, { schedule: null }), [`note: ${none}`]],
    [
      'not made yet, but begun',
      seen({ good: null, begun_at: before(2) }),
      [`note: ${none}; the first began at 2026-11-28 10:00 UTC`],
    ],
    [
      'begun and never ended',
      seen({ good: null, begun_at: before(14) }),
      [has(`bad: ${none}; the first began at 2026-11-27 22:00 UTC and`)],
    ],
    ['not whole', seen({ good: newest(1, 2) }), ['note: the newest lacks the files of 2 objects']],
  ])('that are %s', (_, of, expected) => expect(lines(of)).toEqual(expected))
})
