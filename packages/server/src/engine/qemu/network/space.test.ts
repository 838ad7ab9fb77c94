import fc from 'fast-check'
import { expect, test } from 'vitest'
import { overlap, parseRange, type Range, rangeText } from '../../../lib/address-range.ts'
import {
  addressIn,
  aroundOf,
  freePlace,
  freeRange,
  LAST_PLACE,
  partOf,
  partsOf,
  placeAfter,
  uplinkOf,
} from './space.ts'

const space: Range = { first: (10 * 256 + 80) * 65_536, prefix: 14 }
const single = (text: string) => parseRange(text) ?? space

test('parts follow each other, and the way out has the last', () => {
  expect(partsOf(space)).toBe(255)
  expect(partOf(space, 0)).toEqual({
    range: { first: space.first, prefix: 22 },
    gateway: '10.80.0.1',
    netmask: '255.255.252.0',
  })
  expect(partOf(space, 254).gateway).toBe('10.83.248.1')
  expect(uplinkOf(space)).toEqual({ host: '10.83.252.1', inside: '10.83.252.2', prefix: 30 })
  expect(addressIn(space, 1, LAST_PLACE)).toBe('10.80.7.254')
})

test('an address tells the gateway and the size of its part', () => {
  const place = fc.tuple(fc.integer({ min: 0, max: 254 }), fc.integer({ min: 2, max: LAST_PLACE }))
  fc.assert(
    fc.property(place, ([index, at]) => {
      expect(aroundOf(addressIn(space, index, at))).toEqual(partOf(space, index))
    }),
  )
  expect(() => aroundOf('none')).toThrow()
})

test('no two places of any projects have the same address, and all lie in their part', () => {
  const place = fc.tuple(fc.integer({ min: 0, max: 254 }), fc.integer({ min: 2, max: LAST_PLACE }))
  fc.assert(
    fc.property(place, place, (a, b) => {
      const [one, other] = [addressIn(space, ...a), addressIn(space, ...b)]
      expect(one === other).toBe(a[0] === b[0] && a[1] === b[1])
      expect(overlap(single(one), partOf(space, a[0]).range)).toBe(true)
      expect(overlap(single(one), space)).toBe(true)
    }),
  )
})

test('a range is taken that the host has no route into', () => {
  const text = (routes: string[]) => {
    const found = freeRange(routes.map(single))
    return found && rangeText(found)
  }
  expect(text([])).toBe('10.80.0.0/14')
  expect(text(['10.80.0.0/14'])).toBe('10.84.0.0/14')
  expect(text(['10.82.1.0/24', '10.84.0.1'])).toBe('10.88.0.0/14')
  expect(text(['10.64.0.0/10'])).toBe('10.144.0.0/14')
  expect(text(['10.0.0.0/8'])).toBeNull()
})

test('a place is the one that was wished for, else the next that is free', () => {
  expect(freePlace(0, new Set())).toBe(2)
  expect([0, 1020, 1021].map(placeAfter)).toEqual([2, LAST_PLACE, 2])
  expect(freePlace(5, new Set([7, 8]))).toBe(9)
  expect(freePlace(1020, new Set([LAST_PLACE]))).toBe(2)
})

test('a full network has no place', () => {
  const all = new Set(Array.from({ length: LAST_PLACE + 1 }, (_, place) => place))
  expect(freePlace(12, all)).toBeNull()
  all.delete(77)
  expect(freePlace(900, all)).toBe(77)
})
