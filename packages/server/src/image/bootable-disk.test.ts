import { describe, expect, it } from 'vitest'
import { placesOf, stagesAt } from './bootable-disk.ts'

describe('the boot loader on a disk without partitions', () => {
  it('is found where its blocks are, and neighbouring ones are one place', () => {
    expect(placesOf([100, 101, 102], 3 * 4096)).toEqual([{ sector: 800, sectors: 24 }])
    expect(placesOf([100, 101, 7], 2 * 4096 + 513)).toEqual([
      { sector: 800, sectors: 16 },
      { sector: 56, sectors: 2 },
    ])
  })

  it('is refused where its blocks are not known', () => {
    expect(() => placesOf([100], 2 * 4096)).toThrow('could not be found')
    expect(() => placesOf([0, 1], 2 * 4096)).toThrow('could not be found')
    expect(() => placesOf([Number.NaN], 4096)).toThrow('could not be found')
  })

  it('is told place by place, from the end of its first sector on backwards', () => {
    const places = [
      { sector: 800, sectors: 16 },
      { sector: 56, sectors: 2 },
    ]
    const { first, second } = stagesAt(places, Buffer.alloc(512, 1), Buffer.alloc(18 * 512, 2))
    expect(first.readBigUInt64LE(0x5c)).toBe(800n)
    expect(first.subarray(440, 512).toString('hex')).toBe(`${'00'.repeat(70)}55aa`)
    // Each is an address, a number of sectors and a segment of memory.
    expect(second.readBigUInt64LE(500)).toBe(801n)
    expect([second.readUInt16LE(508), second.readUInt16LE(510)]).toEqual([15, 0x820])
    expect(second.readBigUInt64LE(488)).toBe(56n)
    expect([second.readUInt16LE(496), second.readUInt16LE(498)]).toEqual([2, 0x820 + 15 * 32])
    expect(second.subarray(476, 488)).toEqual(Buffer.alloc(12))
  })

  it('is refused in more places than the list has room for', () => {
    const places = Array.from({ length: 9 }, (_, index) => ({ sector: 80 * (index + 1), sectors: 8 }))
    expect(() => stagesAt(places, Buffer.alloc(512), Buffer.alloc(512))).toThrow('too many pieces')
  })
})
