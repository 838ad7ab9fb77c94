import { describe, expect, test } from 'vitest'
import {
  type Added,
  addedArguments,
  baseOf,
  blocksOf,
  hasAny,
  mostCpus,
  pluggable,
  sizeArguments,
  sizeTold,
} from './machine-size.ts'

const MIB = 1024 * 1024
const ours = { kernel: '/images/kernel' }
const foreign = {}
const nothing: Added = { cpus: 0, memoryMb: [] }

describe('the places that a guest has', () => {
  test('are eight for processors, or twice what it has, and never more than a VM can have', () => {
    expect([1, 2, 4, 5, 16, 33, 64].map(mostCpus)).toEqual([8, 8, 8, 10, 32, 64, 64])
  })

  test('are for four times its memory, and at least 8 GB', () => {
    const memory = (mb: number, image = ours) => sizeArguments({ cpu: 1, memoryMb: mb }, image)[1]
    expect(memory(256)).toBe('size=256M,slots=8,maxmem=8192M')
    expect(memory(4096)).toBe('size=4096M,slots=8,maxmem=16384M')
    expect(memory(200_000)).toBe('size=200000M,slots=8,maxmem=262144M')
    expect(memory(262_144)).toBe('size=262144M')
  })

  test('are none for memory where a kernel that is not ours would set some of it aside for that', () => {
    const memory = (mb: number) => sizeArguments({ cpu: 1, memoryMb: mb }, foreign)[1]
    expect(memory(1024)).toBe('size=1024M')
    expect(memory(2815)).toBe('size=2815M')
    expect(memory(2816)).toBe('size=2816M,slots=8,maxmem=11264M')
  })

  test('are cores of one processor, whatever a version of QEMU makes of a number', () => {
    expect(sizeArguments({ cpu: 2, memoryMb: 256 }, ours)[3]).toBe(
      'cpus=2,maxcpus=8,sockets=1,cores=8,threads=1',
    )
  })
})

describe('what was plugged in', () => {
  const added = { cpus: 2, memoryMb: [256, 128] }

  test('is not what a guest booted with', () => {
    expect(baseOf({ cpu: 3, memoryMb: 640 }, added)).toEqual({ cpu: 1, memoryMb: 256 })
    expect(baseOf({ cpu: 3, memoryMb: 640 }, undefined)).toEqual({ cpu: 3, memoryMb: 640 })
    expect([added, { cpus: 1, memoryMb: [] }, { cpus: 0, memoryMb: [128] }, nothing].map(hasAny)).toEqual([
      true,
      true,
      true,
      false,
    ])
  })

  test('are devices of a guest that goes on', () => {
    expect(addedArguments({ cpu: 1, memoryMb: 256 }, added, 'Nehalem,cx16=off')).toEqual([
      ...['-device', 'Nehalem-x86_64-cpu,id=cpu1,socket-id=0,core-id=1,thread-id=0'],
      ...['-device', 'Nehalem-x86_64-cpu,id=cpu2,socket-id=0,core-id=2,thread-id=0'],
      ...['-object', `memory-backend-ram,id=more0,size=${256 * MIB}`],
      ...['-device', 'pc-dimm,id=dimm0,memdev=more0,slot=0'],
      ...['-object', `memory-backend-ram,id=more1,size=${128 * MIB}`],
      ...['-device', 'pc-dimm,id=dimm1,memdev=more1,slot=1'],
    ])
    expect(addedArguments({ cpu: 1, memoryMb: 256 }, undefined, 'host')).toEqual([])
  })

  test('is told by the process of the guest', () => {
    const cpus = [{ 'qom-path': '/machine/unattached/device[0]' }, { 'qom-path': '/machine/peripheral/cpu1' }]
    const dimm = (slot: number, mb: number) => ({ type: 'dimm', data: { slot, size: mb * MIB } })
    const summary = { 'base-memory': 256 * MIB, 'plugged-memory': 384 * MIB }
    expect(sizeTold(cpus, summary, [dimm(1, 128), dimm(0, 256)])).toEqual({
      cpu: 2,
      memoryMb: 640,
      added: { cpus: 1, memoryMb: [256, 128] },
    })
    expect(sizeTold(cpus.slice(0, 1), { 'base-memory': 256 * MIB }, [])).toEqual({
      cpu: 1,
      memoryMb: 256,
      added: nothing,
    })
    for (const [one, other, third] of [
      [null, summary, []],
      [cpus, null, []],
      [cpus, summary, null],
      [[], summary, []],
      [cpus, { 'base-memory': 'much' }, []],
      [cpus, summary, [{ data: { slot: 0, size: -1 } }]],
    ])
      expect(sizeTold(one, other, third)).toBeNull()
  })
})

test('a kernel has blocks for all that it booted with, and for each piece', () => {
  expect(blocksOf({ cpu: 1, memoryMb: 256 }, nothing, 128)).toBe(2)
  expect(blocksOf({ cpu: 1, memoryMb: 684 }, { cpus: 0, memoryMb: [128, 256] }, 128)).toBe(6)
  expect(blocksOf({ cpu: 1, memoryMb: 65_536 + 4096 }, { cpus: 0, memoryMb: [4096] }, 2048)).toBe(34)
})

describe('what can be plugged in', () => {
  const has = { cpu: 1, memoryMb: 256, added: nothing }
  const can = (
    wished: { cpu: number; memoryMb: number },
    of = has,
    image: { kernel?: string } = ours,
    blockMb = 128,
  ) => pluggable(of, wished, { image, blockMb })

  test('is what lacks', () => {
    expect(can({ cpu: 3, memoryMb: 1024 })).toEqual({ cpus: 2, memoryMb: [768] })
    expect(can({ cpu: 1, memoryMb: 256 })).toEqual(nothing)
  })

  test('is never less than it has', () => {
    expect(can({ cpu: 1, memoryMb: 128 }, { cpu: 4, memoryMb: 512, added: nothing })).toEqual(nothing)
    expect(can({ cpu: 4, memoryMb: 128 })).toEqual({ cpus: 3, memoryMb: [] })
  })

  test('has to find its places', () => {
    expect(can({ cpu: 64, memoryMb: 256 })).toEqual({ cpus: 7, memoryMb: [] })
    expect(can({ cpu: 1, memoryMb: 16_384 })).toEqual(nothing)
    const full = {
      cpu: 8,
      memoryMb: 1280,
      added: { cpus: 7, memoryMb: Array.from({ length: 8 }, () => 128) },
    }
    expect(can({ cpu: 9, memoryMb: 1408 }, full)).toEqual(nothing)
    expect(can({ cpu: 1, memoryMb: 512 }, has, foreign)).toEqual(nothing)
  })

  test('has to fill the blocks in which the kernel of the guest takes memory', () => {
    expect(can({ cpu: 1, memoryMb: 300 })).toEqual(nothing)
    expect(can({ cpu: 1, memoryMb: 384 })).toEqual({ cpus: 0, memoryMb: [128] })
    expect(can({ cpu: 1, memoryMb: 512 }, has, ours, 512)).toEqual(nothing)
    expect(can({ cpu: 1, memoryMb: 768 }, has, ours, 512)).toEqual({ cpus: 0, memoryMb: [512] })
    expect(can({ cpu: 1, memoryMb: 300 }, has, ours, 4)).toEqual(nothing)
    expect(pluggable(has, { cpu: 2, memoryMb: 512 }, { image: ours, blockMb: null })).toEqual({
      cpus: 1,
      memoryMb: [],
    })
  })
})
