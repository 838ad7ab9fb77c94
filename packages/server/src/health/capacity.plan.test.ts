import { describe, expect, it } from 'vitest'
import { forecast } from './capacity.plan.ts'

const hour = 60 * 60_000
const day = 24 * hour
/** So many samples, an hour apart, that grow by so much each hour. */
const samples = (count: number, mbPerHour: number, start = 1000) =>
  Array.from({ length: count }, (_, i) => ({ at: i * hour, usedMb: start + i * mbPerHour }))

describe('the forecast of a disk', () => {
  it.each([0, 1, 5])('is unknown with %i samples', (count) => {
    expect(forecast(samples(count, 10), 1000, day)).toBeNull()
  })

  it('is unknown where all samples are of less than an hour', () => {
    const close = Array.from({ length: 30 }, (_, i) => ({ at: i * 60_000, usedMb: i }))
    expect(forecast(close, 1000, day)).toBeNull()
  })

  it('is known from six samples and an hour on, whenever those begin', () => {
    const from = Date.UTC(2026, 4, 1)
    const over = (ms: number) =>
      Array.from({ length: 6 }, (_, i) => ({ at: from + (i * ms) / 5, usedMb: i * 2 }))
    expect(forecast(over(hour - 1), 1000, from)).toBeNull()
    expect(forecast(over(hour), 720, from)).toEqual({ mbPerDay: 240, fullAt: from + 3 * day })
  })

  it('is when what is free is used up at the rate of the samples', () => {
    expect(forecast(samples(24, 10), 2400, day)).toEqual({ mbPerDay: 240, fullAt: day + 10 * day })
  })

  it('is now where nothing is free', () => {
    expect(forecast(samples(24, 10), 0, day)?.fullAt).toBe(day)
    expect(forecast(samples(24, 10), -5, day)?.fullAt).toBe(day)
  })

  it.each([0, -10])('is never at a rate of %i', (rate) => {
    const found = forecast(samples(24, rate), 100, day)
    expect(found?.fullAt).toBeNull()
    expect(found?.mbPerDay).toBeCloseTo(rate * 24)
  })

  it('is nothing to plan with further away than a year', () => {
    expect(forecast(samples(24, 1), 364 * 24, day)?.fullAt).toBeCloseTo(day + 364 * day)
    expect(forecast(samples(24, 1), 365 * 24, day)?.fullAt).toBe(day + 365 * day)
    expect(forecast(samples(24, 1), 366 * 24, day)?.fullAt).toBeNull()
  })

  it('is not thrown off by a single download that was deleted again', () => {
    const spiked = samples(48, 10).map((one, i) => (i === 24 ? { ...one, usedMb: one.usedMb + 5000 } : one))
    expect(forecast(spiked, 2400, 2 * day)?.mbPerDay).toBeCloseTo(240, -2)
  })
})
