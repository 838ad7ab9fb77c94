import { expect, test } from 'vitest'
import { bytesOf, numberOf, quantityOf } from './quantities.ts'

test.each([
  ['0', 0],
  ['64', 64],
  ['250000000n', 0.25],
  ['12u', 0.000012],
  ['1500m', 1.5],
  ['1k', 1000],
  ['5M', 5_000_000],
  ['10G', 10e9],
  ['262144Ki', 2 ** 28],
  ['1.5Mi', 1.5 * 2 ** 20],
  ['10Gi', 10 * 2 ** 30],
  ['1e3', 1000],
  ['1E3', 1000],
  ['.5Ki', 512],
  ['2Ei', 2 ** 61],
])('%s is the quantity %d, and as many whole bytes', (text, number) => {
  expect(numberOf(text)).toBeCloseTo(number, 12)
  expect(bytesOf(text)).toBe(Math.ceil(number))
})

test.each(['', '10GB', 'Gi', '-1', '1 Gi', 'ten', undefined])('%s is no size', (text) => {
  expect([numberOf(text), bytesOf(text)]).toEqual([null, null])
})

test('a size that is written can be read again, exactly', () => {
  for (const bytes of [0, 1, 1000, 1023, 1024, 64 * 2 ** 20, 10 * 2 ** 30, 2 ** 40, 2 ** 30 + 512])
    expect(bytesOf(quantityOf(bytes))).toBe(bytes)
  expect(quantityOf(10 * 2 ** 30)).toBe('10Gi')
  expect(quantityOf(1536 * 2 ** 20)).toBe('1536Mi')
})
