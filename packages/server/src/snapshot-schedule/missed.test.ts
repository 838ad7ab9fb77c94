import { describe, expect, it } from 'vitest'
import { missedWith, stillTold } from './missed.ts'

const dayMs = 24 * 60 * 60_000
const start = Date.UTC(2026, 10, 26)
const day = (number: number) => start + number * dayMs
const iso = (number: number) => new Date(day(number)).toISOString()
const known = { count: 2, since: iso(0), until: iso(1), reason: 'Off.' }

describe('snapshots that were missed', () => {
  it('are told for a week', () => {
    expect(stillTold(null, day(0))).toBeNull()
    expect(stillTold(known, day(8))).toBe(known)
    expect(stillTold(known, day(8) + 1)).toBeNull()
  })

  it('are counted from the first one, with the last reason', () => {
    expect(missedWith(known, { missed: [], reason: 'Full.' }, day(2))).toBeNull()
    expect(missedWith(null, { missed: [day(2), day(3)], reason: 'Full.' }, day(3))).toEqual({
      count: 2,
      since: iso(2),
      until: iso(3),
      reason: 'Full.',
    })
    expect(missedWith(known, { missed: [day(2)], reason: 'Full.' }, day(2))).toEqual({
      count: 3,
      since: iso(0),
      until: iso(2),
      reason: 'Full.',
    })
  })

  it('are counted anew after a week without any', () => {
    expect(missedWith(known, { missed: [day(9)], reason: 'Full.' }, day(9))).toMatchObject({
      count: 1,
      since: iso(9),
    })
  })
})
