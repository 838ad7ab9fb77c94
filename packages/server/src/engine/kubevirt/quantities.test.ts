import { expect, test } from 'vitest'
import { bytesOf, quantityOf } from './quantities.ts'

test.each([
  ['0', 0],
  ['64', 64],
  ['1500m', 2],
  ['1k', 1000],
  ['10G', 10e9],
  ['10Gi', 10 * 2 ** 30],
  ['1.5Mi', 1.5 * 2 ** 20],
  ['1e3', 1000],
  ['1E3', 1000],
  ['.5Ki', 512],
  ['2Ei', 2 ** 61],
])('%s is %d bytes', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes)
})

test.each(['', '10GB', 'Gi', '-1', '1 Gi', 'ten', undefined])('%s is no size', (text) => {
  expect(bytesOf(text)).toBe(null)
})

test('a size that is written can be read again, exactly', () => {
  for (const bytes of [0, 1, 1000, 1023, 1024, 64 * 2 ** 20, 10 * 2 ** 30, 2 ** 40, 2 ** 30 + 512])
    expect(bytesOf(quantityOf(bytes))).toBe(bytes)
  expect(quantityOf(10 * 2 ** 30)).toBe('10Gi')
  expect(quantityOf(1536 * 2 ** 20)).toBe('1536Mi')
})
