import { describe, expect, it } from 'vitest'
import { type BinLimits, type Held, planLeaving } from './bin.plan.ts'

const held = (id: string, bytes: number, change: Partial<Held> = {}): Held => ({
  ...{ id, bytes, vms: 0, isNew: false, deletedAt: `2026-05-01T10:00:00.00${id.charCodeAt(0) - 97}Z` },
  ...change,
})
const leaving = (all: Held[], limits: Partial<BinLimits>) =>
  planLeaving(all, { bytes: null, vms: null, ...limits }).map(({ id, why }) => `${id} ${why}`)

describe('what leaves a bin', () => {
  const all = [held('a', 4, { vms: 1 }), held('b', 4, { vms: 2 }), held('c', 2, { vms: 1 })]

  it.each<[Partial<BinLimits>, string[]]>([
    [{}, []],
    [{ bytes: 10, vms: 4 }, []],
    [{ bytes: 9 }, ['a oldest']],
    [{ bytes: 6 }, ['a oldest']],
    [{ bytes: 5 }, ['a oldest', 'b oldest']],
    [{ vms: 3 }, ['a oldest']],
    [{ vms: 2 }, ['a oldest', 'b oldest']],
    [{ bytes: 0, vms: 0 }, ['a too-large', 'b too-large', 'c too-large']],
  ])('with the limits %j is no more than it takes: %j', (limits, gone) => {
    expect(leaving(all, limits)).toEqual(gone)
  })

  it('is first what exceeds a limit alone, which pushes out nothing else', () => {
    const large = held('c', 11)
    expect(leaving([held('a', 4), held('b', 6), large], { bytes: 10 })).toEqual(['c too-large'])
    expect(leaving([held('a', 6), held('b', 6), large], { bytes: 10 })).toEqual(['c too-large', 'a oldest'])
    expect(leaving([held('a', 4, { vms: 3 }), held('b', 6)], { bytes: 10, vms: 2 })).toEqual(['a too-large'])
  })

  it('is nothing without a share in what there is too much of', () => {
    const mixed = [held('a', 5), held('b', 0, { vms: 1 }), held('c', 5, { vms: 1 })]
    expect(leaving(mixed, { vms: 1 })).toEqual(['b oldest'])
    expect(leaving(mixed, { bytes: 9 })).toEqual(['a oldest'])
    expect(leaving(mixed, { bytes: 9, vms: 1 })).toEqual(['a oldest', 'b oldest'])
    expect(leaving(mixed, { bytes: 5, vms: 1 })).toEqual(['a oldest', 'b oldest'])
  })

  it.each<[string, Held, Held]>([
    ['what was deleted first', held('b', 1, { deletedAt: '2026-04' }), held('a', 1)],
    ['what came in earlier', held('b', 1), held('a', 1, { isNew: true, deletedAt: '2026-04' })],
    [
      'of one moment what was created first',
      held('a', 1),
      held('b', 1, { deletedAt: held('a', 1).deletedAt }),
    ],
  ])('is %s, in whichever order all is told', (_, older, newer) => {
    expect(leaving([older, newer], { bytes: 1 })).toEqual([`${older.id} oldest`])
    expect(leaving([newer, older], { bytes: 1 })).toEqual([`${older.id} oldest`])
  })
})
