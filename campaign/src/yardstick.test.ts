import { describe, expect, it } from 'vitest'
import { excusedBetween, isLate, type Round } from './yardstick.ts'

/** Half a second on a host where others use as much of the processors as the servers do. */
const round = (over: Partial<Round> = {}): Round => ({
  from: 1_000,
  to: 1_500,
  control: 5,
  disk: 1,
  waited: 0,
  byServers: 100,
  byOthers: 100,
  ...over,
})

describe('what a call may take longer because of the host', () => {
  it('is nothing while a program that does next to nothing is on time', () => {
    expect(excusedBetween([round(), round({ from: 1_500, to: 2_000 })], 1_000, 2_000)).toBe(0)
    expect(excusedBetween([], 1_000, 2_000)).toBe(0)
  })

  it('is what that program waited, for the disk or for a processor', () => {
    expect(excusedBetween([round({ control: 400, disk: 390 })], 1_000, 1_500)).toBe(400)
    expect(excusedBetween([round({ control: 400 })], 1_000, 1_500)).toBe(400)
  })

  it('is what the servers waited for a processor, where that is more', () => {
    expect(excusedBetween([round({ control: 100, waited: 300 })], 1_000, 1_500)).toBe(300)
    expect(excusedBetween([round({ control: 300, waited: 100 })], 1_000, 1_500)).toBe(300)
    expect(excusedBetween([round({ control: 300, disk: 250, waited: 100 })], 1_000, 1_500)).toBe(350)
  })

  it('is never more than the time itself', () => {
    expect(excusedBetween([round({ control: 9_000, disk: 8_000, waited: 9_000 })], 1_000, 1_500)).toBe(500)
    expect(excusedBetween([round({ control: 9_000, disk: 100, waited: 9_000 })], 1_000, 1_500)).toBe(500)
  })

  it('is of the time of the call only', () => {
    const rounds = [
      round({ control: 500, disk: 490 }),
      round({ from: 1_500, to: 2_000 }),
      round({ from: 2_000, to: 2_500, control: 500, disk: 490 }),
    ]
    expect(excusedBetween(rounds, 1_500, 2_000)).toBe(0)
    expect(excusedBetween(rounds, 1_400, 2_100)).toBe(200)
    expect(excusedBetween([round({ waited: 400 })], 1_000, 1_250)).toBe(200)
  })

  it('grows with every round that was late', () => {
    const rounds = [round({ control: 200 }), round({ from: 1_500, to: 2_000, control: 300, disk: 300 })]
    expect(excusedBetween(rounds, 1_000, 2_000)).toBe(500)
  })

  it('is less for the processors the more of them the servers used themselves', () => {
    const hungry = { byServers: 800, byOthers: 200 }
    expect(excusedBetween([round({ ...hungry, control: 400 })], 1_000, 1_500)).toBe(100)
    expect(excusedBetween([round({ ...hungry, waited: 400 })], 1_000, 1_500)).toBe(100)
    expect(excusedBetween([round({ ...hungry, byOthers: 0, waited: 400 })], 1_000, 1_500)).toBe(0)
    expect(excusedBetween([round({ ...hungry, control: 400, disk: 400 })], 1_000, 1_500)).toBe(400)
    expect(excusedBetween([round({ byServers: 0, byOthers: 0, waited: 400 })], 1_000, 1_500)).toBe(400)
  })
})

describe('a call', () => {
  it('is late when it took longer than it may, and than the host explains', () => {
    expect(isLate(1_001, 0, 1_000)).toBe(true)
    expect(isLate(1_000, 0, 1_000)).toBe(false)
    expect(isLate(2_400, 1_400, 1_000)).toBe(false)
    expect(isLate(2_400, 1_399, 1_000)).toBe(true)
  })
})
