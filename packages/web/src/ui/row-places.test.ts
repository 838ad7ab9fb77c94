import fc from 'fast-check'
import { expect, test } from 'vitest'
import { moveOf, placeRows, rowAt } from './row-places.ts'

const list = (ids: string, columns: number, heights: (row: number) => number = () => 100) => {
  const items = [...ids].map((id) => ({ id }))
  return { items, columns, gap: 10, places: placeRows(Math.ceil(items.length / columns), heights, 10) }
}

test('rows lie one under the other with a gap between them and none behind the last', () => {
  expect(placeRows(3, (row) => [100, 50, 70][row] ?? 0, 10)).toEqual([0, 110, 170, 240])
  expect(placeRows(0, () => 100, 10)).toEqual([0])
})

test('every offset belongs to the last row that begins before it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(500), { minLength: 1 }),
      fc.integer({ min: -100, max: 5_000 }),
      (heights, offset) => {
        const places = placeRows(heights.length, (row) => heights[row] ?? 0, 1)
        const expected = places.slice(0, -1).findLastIndex((start) => start <= offset)
        expect(rowAt(places, offset)).toBe(Math.max(0, expected))
      },
    ),
  )
})

test('what is in sight moves with what comes and goes above it, and with what turns out higher there', () => {
  const before = list('abcdef', 1)
  expect(moveOf(before, list('xabcdef', 1), 250, 500)).toBe(110)
  expect(moveOf(before, list('bcdef', 1), 250, 500)).toBe(-110)
  expect(
    moveOf(
      before,
      list('abcdef', 1, (row) => (row === 1 ? 130 : 100)),
      250,
      500,
    ),
  ).toBe(30)
  expect(moveOf(before, list('abcdefx', 1), 250, 500)).toBe(0)
})

test('a row of which only the gap behind it is in the window is not in sight', () => {
  const before = list('abcdef', 1)
  const after = list('abcdef', 1, (row) => (row === 1 ? 130 : 100))
  expect(moveOf(before, after, 209, 500)).toBe(0)
  for (const from of [210, 219]) expect(moveOf(before, after, from, 500)).toBe(30)
})

test('when the first row in sight goes, the next one that stays is held', () => {
  expect(moveOf(list('abcdef', 1), list('abef', 1), 250, 500)).toBe(-220)
  expect(moveOf(list('abcdef', 2), list('xabcdef', 2), 120, 300)).toBe(0)
  expect(moveOf(list('abcdef', 2), list('xyabcdef', 2), 120, 300)).toBe(110)
})

test('nothing is held at the top of the list, nor when the columns are others', () => {
  expect(moveOf(list('abcdef', 1), list('xabcdef', 1), 50, 300)).toBe(0)
  expect(moveOf(list('abcdef', 1), list('xabcdef', 2), 250, 500)).toBe(0)
})
