import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dotted, isPrivate, overlap, parseRange, rangeText } from './address-range.ts'

const range = (text: string) => {
  const found = parseRange(text)
  if (!found) throw new Error(`${text} is no range`)
  return found
}

test.each(['10.80.0.0/14', '0.0.0.0/0', '255.255.255.255/32', '192.168.1.0/24'])('%s is a range', (text) => {
  expect(rangeText(range(text))).toBe(text)
})

test('an address alone is a range of one', () => {
  expect(rangeText(range('10.0.0.1'))).toBe('10.0.0.1/32')
})

test.each([
  '',
  'default',
  '10.80.0.0/',
  '10.80.0.0/33',
  '10.81.0.0/14',
  '10.80.0/14',
  '256.0.0.0/8',
  '10.0.0.0/8/8',
  '::/0',
])('%j is none', (text) => {
  expect(parseRange(text)).toBeNull()
})

test('an address is the number it is written as', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      expect(dotted(range(text).first)).toBe(text)
    }),
  )
})

test.each([
  ['10.80.0.0/14', '10.83.255.255', true],
  ['10.80.0.0/14', '10.84.0.0/14', false],
  ['10.80.0.0/14', '10.0.0.0/8', true],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['10.79.255.255', '10.80.0.0/14', false],
])('%s and %s overlap: %s', (a, b, expected) => {
  expect([overlap(range(a), range(b)), overlap(range(b), range(a))]).toEqual([expected, expected])
})

test.each([
  ['10.80.0.0/14', true],
  ['172.16.0.0/12', true],
  ['172.0.0.0/8', false],
  ['192.168.0.0/16', true],
  ['8.8.0.0/16', false],
])('%s is private: %s', (text, expected) => {
  expect(isPrivate(range(text))).toBe(expected)
})
