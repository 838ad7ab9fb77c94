import { describe, expect, it } from 'vitest'
import {
  isPoolUnderWay,
  poolSizesAllowed,
  poolUtilization,
  scalingDefaults,
  vmPoolTexts as t,
  vmPoolDefaults,
} from './vm-pool.rules.ts'

describe('the sizes of a pool', () => {
  it.each([
    [1, 1, 1, true],
    [0, 1, 3, true],
    [2, 2, 3, true],
    [1, 3, 3, true],
    [1, 1, 1000, true],
    [4, 4, 3, t.minAboveMax],
    [0, 0, 3, t.desiredOutside],
    [2, 1, 3, t.desiredOutside],
    [1, 4, 3, t.desiredOutside],
    [1, 1, 1001, t.tooLarge],
    // The first problem is told.
    [1002, 1, 1001, t.minAboveMax],
    [1, 1002, 1001, t.desiredOutside],
  ])('from %i, wanted %i, to %i: %s', (min_size, desired_size, max_size, allowed) =>
    expect(poolSizesAllowed({ min_size, desired_size, max_size })).toBe(allowed),
  )

  it('are told apart by sentences', () =>
    expect(new Set([t.minAboveMax, t.desiredOutside, t.tooLarge, true]).size).toBe(4))

  it('are those of the catalogue in a new form, which may be sent as it is', () => {
    expect(vmPoolDefaults).toMatchObject({ max_size: 3, persistent: true, auto_scaling: true })
    expect(poolSizesAllowed(vmPoolDefaults)).toBe(true)
  })
})

it.each([
  [0, 3, '0.0%', 0],
  [1, 8, '12.5%', 12.5],
  [3, 3, '100.0%', 100],
  [4, 3, '133.3%', 100],
  [0, 0, '0.0%', 0],
  [2, 0, '0.0%', 0],
])('a pool of %i VMs of %i is used to %s', (current_size, max_size, text, bar) =>
  expect(poolUtilization({ current_size, max_size })).toEqual({ text, bar }),
)

it('a pool is under way while it scales, in any letter case', () => {
  const statuses = ['scaling', 'SCALING', 'active', 'error', '']
  expect(statuses.filter((status) => isPoolUnderWay({ status }))).toEqual(['scaling', 'SCALING'])
})

it('the autoscaler grows sooner than it shrinks, and leaves room between', () => {
  const { up_above, up_after_s, down_below, down_after_s } = scalingDefaults
  expect(up_after_s).toBeLessThan(down_after_s)
  expect(down_below).toBeLessThan(up_above / 2)
})
