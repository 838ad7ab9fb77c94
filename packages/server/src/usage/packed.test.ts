import fc from 'fast-check'
import { expect, it } from 'vitest'
import { absent, pack, unpack } from './packed.ts'

it('keeps whole numbers up to 4095 and what is unknown', () => {
  for (let amount = 0; amount < 4096; amount++) expect(unpack(pack(amount))).toBe(amount)
  expect(unpack(pack(null))).toBeNull()
})

it('keeps larger whole amounts within a four-thousandth, in their order, in two bytes', () => {
  const amounts = fc.double({ min: 4096, max: 2e12, noNaN: true }).map(Math.round)
  fc.assert(
    fc.property(amounts, amounts, (one, other) => {
      const [a, b] = [pack(one), pack(other)]
      expect(Math.abs((unpack(a) ?? 0) - one) / one).toBeLessThanOrEqual(1 / 4000)
      expect(Math.sign(b - a) * Math.sign(other - one)).toBeGreaterThanOrEqual(0)
      expect(Math.max(a, b)).toBeLessThan(absent)
    }),
  )
})

it('takes what is out of range for the nearest amount that is in it', () => {
  expect(unpack(pack(-1))).toBe(0)
  expect(pack(Number.POSITIVE_INFINITY)).toBe(pack(1e300))
  expect(pack(1e308)).toBeLessThan(absent)
})
