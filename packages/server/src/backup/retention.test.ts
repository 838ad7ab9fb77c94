import { describe, expect, it } from 'vitest'
import { toForget } from './retention.ts'

const at = (madeAt: string) => ({ madeAt })
const times = (all: { madeAt: string }[]) => all.map(({ madeAt }) => madeAt)
const every = (hours: number, count: number, end = Date.UTC(2026, 10, 29, 12)) =>
  Array.from({ length: count }, (_, n) => at(new Date(end - n * hours * 3_600_000).toISOString()))

describe('backups that are kept', () => {
  it('are the newest of each of the last days, weeks and months', () => {
    const all = every(6, 4 * 400)
    const forgotten = new Set(toForget(all, { daily: 3, weekly: 2, monthly: 2 }))
    expect(times(all.filter((one) => !forgotten.has(one)))).toEqual([
      '2026-11-29T12:00:00.000Z',
      '2026-11-28T18:00:00.000Z',
      '2026-11-27T18:00:00.000Z',
      // A Sunday: the end of the week before that of the 29th, which is a Sunday too.
      '2026-11-22T18:00:00.000Z',
      '2026-10-31T18:00:00.000Z',
    ])
  })

  it('are all of them while there are fewer than the rules keep', () => {
    expect(toForget(every(24, 7), { daily: 7, weekly: 0, monthly: 0 })).toEqual([])
    expect(toForget([], { daily: 1, weekly: 0, monthly: 0 })).toEqual([])
  })

  it('are always the newest, and those of a time that cannot be read', () => {
    const odd = at('some day')
    const [newest, ...older] = every(1, 3)
    expect(toForget([odd, ...older, newest ?? odd], { daily: 0, weekly: 0, monthly: 0 })).toEqual(older)
  })

  it('are by days that had one, not by days that have passed', () => {
    const old = [at('2020-01-01T00:00:00Z'), at('2021-01-01T00:00:00Z')]
    expect(toForget(old, { daily: 2, weekly: 0, monthly: 0 })).toEqual([])
  })

  it('never grow beyond the sum of the rules, and forgetting again forgets nothing', () => {
    for (let daily = 1; daily < 9; daily++)
      for (let weekly = 0; weekly < 5; weekly++) {
        const all = every(7, 900)
        const forgotten = new Set(toForget(all, { daily, weekly, monthly: 3 }))
        const left = all.filter((one) => !forgotten.has(one))
        expect(left.length).toBeLessThanOrEqual(daily + weekly + 3)
        expect(toForget(left, { daily, weekly, monthly: 3 })).toEqual([])
      }
  })
})
