import { expect, test } from 'vitest'
import { sparklinePath } from './sparkline-path.ts'

test('a line goes from the oldest value at the left to the newest at the right', () => {
  expect(sparklinePath([0, 50, 100], 100)).toBe('M0 100L50 50L100 0')
})

test('it breaks where a value is not known, and a value alone is no line', () => {
  expect(sparklinePath([10, 20, null, 30, null, 40, 50], 100)).toBe('M0 90L16.7 80M83.3 60L100 50')
  expect(sparklinePath([10], 100)).toBe('')
  expect(sparklinePath([null, null], 100)).toBe('')
  expect(sparklinePath([], 100)).toBe('')
})

test('it stays in its box, also without a scale', () => {
  expect(sparklinePath([-5, 250], 100)).toBe('M0 100L100 0')
  expect(sparklinePath([0, 0], 0)).toBe('M0 100L100 100')
})
