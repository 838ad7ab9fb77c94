import { describe, expect, test } from 'vitest'
import { isSteady, readClock } from './guest-clock.ts'

const { signal } = new AbortController()

describe("A guest's clock", () => {
  test.each([
    ['stands where it stood', 0, 0, 0, true],
    ['is wrong all the time', 60_000, 60_000, 0, true],
    ['gains within the tolerance', 0, 59, 0, true],
    ['gains more', 0, 61, 0, false],
    ['loses more', 0, -61, 0, false],
    ['gains no more than asking leaves open', 0, 160, 50, true],
    ['gains more than asking leaves open', 0, 161, 50, false],
    ['runs four times as fast', 0, 9000, 200, false],
  ])('that %s', (_, before, after, openMs, isGood) => {
    const first = { at: 1000, aheadMs: before, openMs }
    expect(isSteady(first, { at: 4000, aheadMs: after, openMs })).toBe(isGood)
  })

  test('is read against the middle of the question', async () => {
    const inFive = { execute: async () => (Date.now() + 5000) * 1_000_000, close: () => {} }
    const read = await readClock({ talk: (work) => work(inFive) }, signal)
    expect(Math.abs(read.aheadMs - 5000)).toBeLessThanOrEqual(read.openMs + 1)
  })

  test('that is no number is none', async () => {
    const odd = { execute: async () => 'noon', close: () => {} }
    await expect(readClock({ talk: (work) => work(odd) }, signal)).rejects.toThrow('does not tell the time')
  })
})
