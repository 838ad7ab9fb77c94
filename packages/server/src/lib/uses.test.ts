import { expect, test } from 'vitest'
import { makeHandClock } from './hand-clock.ts'
import { makeUses } from './uses.ts'

test('is used while anybody is connected, and remembers the last end', async () => {
  const clock = makeHandClock()
  const uses = makeUses(clock)
  expect(uses.isUsedSince('a', 0)).toBe(false)
  const [first, second] = [uses.begin('a'), uses.begin('a')]
  first()
  first()
  expect(uses.isUsedSince('a', clock.monotonic() + 1)).toBe(true)
  second()
  const ended = clock.monotonic()
  expect(uses.isUsedSince('a', ended)).toBe(true)
  await clock.advance(10)
  expect(uses.isUsedSince('a', clock.monotonic())).toBe(false)
  expect(uses.isUsedSince('a', ended)).toBe(true)
  expect(uses.isUsedSince('b', ended)).toBe(false)
})

test('remembers no more than it has to', () => {
  const clock = makeHandClock()
  const uses = makeUses(clock)
  for (let n = 0; n <= 20_000; n += 1) uses.begin(`${n}`)()
  expect(uses.isUsedSince('0', clock.monotonic())).toBe(false)
  expect(uses.isUsedSince('1', clock.monotonic())).toBe(true)
})
