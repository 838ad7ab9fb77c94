import { expect, test } from 'vitest'
import { chartTicks } from './chart-ticks.ts'

test.each([
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [6, [0, 2, 4, 6]],
  [20, [0, 5, 10, 15, 20]],
  [21, [0, 10, 20, 30]],
  [1000, [0, 500, 1000]],
])('a scale up to %i has its lines at %j', (highest, ticks) => {
  expect(chartTicks(highest)).toEqual(ticks)
})
