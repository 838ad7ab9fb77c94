import { expect, test } from 'vitest'
import type { Qmp } from './qmp.ts'
import { bytesIn, makeUsage, usedMb } from './usage.ts'

const stats = (total: unknown, available: unknown) => ({
  stats: { 'stat-total-memory': total, 'stat-available-memory': available },
})

test('memory in use is what the guest has and cannot give', () => {
  expect(usedMb(stats(512 * 1024 * 1024, 384 * 1024 * 1024))).toBe(128)
})

test.each([
  [1e308, 1],
  [100, -1],
  [100, 200],
  [0, 0],
])('memory is not believed to be %j bytes, of which %j are free', (total, available) => {
  expect(usedMb(stats(total, available))).toBe(null)
})

test('a disk that has read what is no count is not believed', () => {
  expect(bytesIn([{ stats: { rd_bytes: 5, wr_bytes: 6 } }])).toEqual({ read: 5, written: 6 })
  expect(bytesIn([{ stats: { rd_bytes: 'many', wr_bytes: 6 } }])).toBe(null)
})

test('a guest that does not answer is measured from outside, delays nobody, and is not asked once more meanwhile', async () => {
  let asked = 0
  const guestWith = (execute: Qmp['execute']) => ({
    pid: process.pid,
    run: { run: 'one' },
    processors: [process.pid],
    qmp: { execute, onEvent: () => () => {}, onClose: () => {}, close: () => {} },
    agent: { traffic: async () => null },
    isReady: () => true,
  })
  const well = guestWith(async (command) =>
    command === 'query-blockstats' ? [{ stats: { rd_bytes: 1, wr_bytes: 2 } }] : {},
  )
  const hung = guestWith(() => {
    asked += 1
    return new Promise(() => {})
  })
  const guests = new Map([
    ['hung', hung],
    ['well', well],
  ])
  const usage = makeUsage({ guests: () => guests, ticksPerSecond: () => 100, refused: async () => new Map() })
  for (let round = 0; round < 3; round += 1) {
    const figures = await usage('everything')
    expect(figures.get('well')).toMatchObject({ disk: { read: 1, written: 2 } })
    expect(figures.get('hung')).toMatchObject({ disk: null, network: null, memoryMb: expect.any(Number) })
  }
  // Two questions, in the first round only.
  expect(asked).toBe(2)
})
