import { describe, expect, test } from 'vitest'
import { leftBeside, wantedReserve } from './reserve-size.ts'

const hour = 3_600_000
const nowMs = 1_000 * hour
const kind = (key: string, hoursAgo: number, memoryMb = 256) => ({
  key,
  memoryMb,
  usedAt: nowMs - hoursAgo * hour,
})
const host = { most: 3, freeMb: 16_384, leaveMb: 4096, overheadMb: 128, nowMs }

describe('which guests are kept ready', () => {
  test('none where nothing was used, or all of it too long ago', () => {
    expect(wantedReserve([], host)).toEqual([])
    expect(wantedReserve([kind('old', 7 * 24)], host)).toEqual([])
    expect(wantedReserve([kind('just', 7 * 24 - 1)], host)).toHaveLength(3)
  })

  test('what was used last comes first, and all in turns', () => {
    expect(wantedReserve([kind('a', 5), kind('b', 1)], host)).toEqual(['b', 'a', 'b'])
    expect(wantedReserve([kind('a', 4), kind('b', 3), kind('c', 2), kind('d', 1)], host)).toEqual([
      'd',
      'c',
      'b',
    ])
    expect(wantedReserve([kind('a', 1)], { ...host, most: 0 })).toEqual([])
  })

  test('a quarter of the memory of the host stays free, and two gibibytes at least', () => {
    const one = [kind('a', 1)]
    const freeFor = (count: number) => 4096 + count * 384
    expect(wantedReserve(one, { ...host, freeMb: freeFor(2) })).toHaveLength(2)
    expect(wantedReserve(one, { ...host, freeMb: freeFor(2) - 1 })).toHaveLength(1)
    expect(wantedReserve(one, { ...host, freeMb: freeFor(1) - 1 })).toHaveLength(0)
    expect([4096, 8192, 16_384].map(leftBeside)).toEqual([2048, 2048, 4096])
  })

  test('a kind for which there is no room ends it: one that is used less is not kept in its place', () => {
    expect(wantedReserve([kind('large', 1, 32_768), kind('small', 2)], host)).toEqual([])
  })
})
