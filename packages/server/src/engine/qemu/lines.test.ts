import { expect, test } from 'vitest'
import { countOf, nestsTooDeep, sumOf } from './lines.ts'

test.each([
  ['an answer as QEMU writes it', `{"return": [${'{"a": [1, {"b": "]["}]},'.repeat(50)} 1]}`, false],
  ['brackets in a text', `{"return": "${'['.repeat(500)}"}`, false],
  ['a text with an escaped quote', `{"return": "\\"${'['.repeat(500)}"}`, false],
  ['arrays in arrays', '['.repeat(500), true],
  ['objects in objects', '{"a":'.repeat(500), true],
])('nesting is judged right for %s', (_, text, deep) => {
  expect(nestsTooDeep(text)).toBe(deep)
})

test.each([1e308, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '7', null, undefined, [], {}])(
  '%j is no count, nor is a sum with it',
  (lie) => {
    expect(countOf(lie)).toBe(null)
    expect(sumOf([1, lie])).toBe(null)
  },
)

test('a sum is exact or none', () => {
  expect(sumOf([])).toBe(0)
  expect(sumOf([1, 2, 3])).toBe(6)
  expect(sumOf([Number.MAX_SAFE_INTEGER, 1])).toBe(null)
})
