import { type SnapshotRhythms, snapshotRhythms } from '@slipway/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isUnderWay, type Taken, thinOut } from './snapshot-schedule.plan.ts'

const statuses = ['pending', 'creating', 'ready', 'deleting', 'failed', 'error'] as const
const keeping = (keep: number | null): SnapshotRhythms => ({
  hourly: null,
  daily: keep === null ? null : { time: '03:00', keep },
  weekly: null,
})

/** Daily ones, oldest first, by the first letters of their statuses: `rrfc`. */
const dailies = (text: string): Taken[] =>
  [...text].map((letter, index) => ({
    id: `${index}${letter}`,
    rhythm: 'daily',
    status: statuses.find((one) => one.startsWith(letter)) ?? 'ready',
  }))

describe('which snapshots are deleted', () => {
  it.each([
    ['', 1, []],
    ['r', 1, []],
    ['rr', 1, ['0r']],
    ['rrrr', 2, ['0r', '1r']],
    ['rrrr', 9, []],
    // The new one is not ready yet, has failed, or is damaged.
    ['rrc', 2, []],
    ['rrp', 2, []],
    ['rrf', 2, []],
    ['rre', 2, []],
    // One that is on its way out does not count.
    ['drr', 2, []],
    // A failed one goes when another came after, whatever came of that.
    ['frr', 2, ['0f']],
    ['rff', 1, ['1f']],
    ['rfc', 1, []],
    ['fe', 1, []],
    // A damaged one stays, and does not count.
    ['errr', 2, ['1r']],
  ])('of %j with %i kept: %j', (text, keep, gone) => {
    expect(thinOut(dailies(text), keeping(keep))).toEqual(gone)
  })

  it('nothing of a rhythm that is switched off', () => {
    expect(thinOut(dailies('rrrff'), keeping(null))).toEqual([])
  })

  it('each rhythm counts for itself, and what goes is in the order of time', () => {
    const taken: Taken[] = [
      { id: 'd1', rhythm: 'daily', status: 'ready' },
      { id: 'h1', rhythm: 'hourly', status: 'ready' },
      { id: 'd2', rhythm: 'daily', status: 'ready' },
      { id: 'h2', rhythm: 'hourly', status: 'ready' },
      { id: 'w1', rhythm: 'weekly', status: 'ready' },
    ]
    const rhythms = { ...keeping(1), hourly: { minute: 0, keep: 1 } }
    expect(thinOut(taken, rhythms)).toEqual(['d1', 'h1'])
  })

  it('never fewer good ones are left than are kept, and never a newer one goes before an older one', () => {
    const one = fc.record({
      rhythm: fc.constantFrom(...snapshotRhythms),
      status: fc.constantFrom(...statuses),
    })
    const keep = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 20 }), keep, keep, (list, hourly, daily) => {
        const taken = list.map((each, index) => ({ ...each, id: String(index) }))
        const rhythms = {
          hourly: { minute: 0, keep: hourly },
          daily: { time: '03:00', keep: daily },
          weekly: null,
        }
        const gone = new Set(thinOut(taken, rhythms))
        for (const [rhythm, kept] of [
          ['hourly', hourly],
          ['daily', daily],
        ] as const) {
          const ready = taken.filter((each) => each.rhythm === rhythm && each.status === 'ready')
          const left = ready.filter(({ id }) => !gone.has(id))
          expect(left).toEqual(ready.slice(-kept))
        }
        const goners = taken.filter(({ id }) => gone.has(id))
        expect(
          goners.every(({ status, rhythm }) => ['ready', 'failed'].includes(status) && rhythm !== 'weekly'),
        ).toBe(true)
        // Once they are gone nothing more goes.
        expect(
          thinOut(
            taken.filter(({ id }) => !gone.has(id)),
            rhythms,
          ),
        ).toEqual([])
      }),
    )
  })
})

it.each(statuses)('a snapshot that is %s, after one that is ready', (status) => {
  const taken = [...dailies('r'), { id: 'a', rhythm: 'daily' as const, status }]
  expect(isUnderWay(taken)).toBe(['pending', 'creating'].includes(status))
})
