import { expect, it } from 'vitest'
import { makeHandClock } from '../lib/hand-clock.ts'
import { leastTaken, requireTaking } from './least-speed.ts'

const enough = (leastTaken.bytesPerS * leastTaken.overMs) / 1000

it('ends what a client takes too slowly, and nothing that it takes in time or waits for', async () => {
  const clock = makeHandClock()
  const out = { bytesWritten: 0, writableLength: 0 }
  let ends = 0
  requireTaking(out, () => ends++, clock)
  const span = async (written: number, waiting: number) => {
    out.bytesWritten += written
    out.writableLength = waiting
    await clock.advance(leastTaken.overMs)
    return ends
  }
  expect(await span(enough + 1, 1)).toBe(0)
  // Nothing was sent: the disk is slow, or the file is being prepared.
  expect(await span(1, 0)).toBe(0)
  expect(await span(10_000, 10_000)).toBe(1)
  expect(await span(0, 10_000)).toBe(1)
})
