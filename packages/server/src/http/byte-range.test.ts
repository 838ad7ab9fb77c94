import { expect, it } from 'vitest'
import { byteRangeOf } from './byte-range.ts'

it.each([
  [undefined, null],
  ['bytes=0-', { from: 0, to: 100 }],
  ['bytes=10-19', { from: 10, to: 20 }],
  ['bytes=10-1000', { from: 10, to: 100 }],
  ['bytes=-30', { from: 70, to: 100 }],
  ['bytes=-300', { from: 0, to: 100 }],
  ['bytes=99-', { from: 99, to: 100 }],
  ['bytes=100-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=20-10', null],
  ['bytes=0-1,5-6', null],
  ['bytes=-', null],
  ['items=0-1', null],
] as const)('%s of 100 bytes is %o', (header, range) => {
  expect(byteRangeOf(header, 100)).toEqual(range)
})
