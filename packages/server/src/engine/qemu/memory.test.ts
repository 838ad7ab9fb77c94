import { describe, expect, test } from 'vitest'
import { misfit } from './memory.ts'
import type { MemoryFit } from './records.ts'

const saved: MemoryFit = {
  shape: 4,
  qemu: '7.2.22',
  accelerator: 'TCG',
  cpuModel: 'Nehalem',
  cpu: 1,
  memoryMb: 256,
  volumes: [{ id: 'data', port: 0 }],
  kernel: 'vmlinuz initrd quiet',
  address: '10.80.0.2',
}

describe('A saved memory', () => {
  test('fits the machine it is of', () => {
    expect(misfit(saved, { ...saved, volumes: [...saved.volumes] })).toBeNull()
  })

  test('of a machine without places for more goes on where there are such places now', () => {
    expect(misfit(saved, { ...saved, shape: 6 })).toBeNull()
    expect(misfit({ ...saved, shape: 3 }, { ...saved, shape: 5 })).toBeNull()
    expect(misfit({ ...saved, shape: 6 }, saved)).toContain('another version of Slipway')
  })

  test.each<[string, Partial<MemoryFit>, string]>([
    ['shape', { shape: 5 }, 'another version of Slipway'],
    ['hypervisor', { qemu: '8.0.0' }, 'another version of the hypervisor'],
    ['accelerator', { accelerator: 'KVM' }, 'run by something else'],
    ['processor', { cpuModel: 'max' }, 'run by something else'],
    ['number of processors', { cpu: 2 }, 'other processors or memory'],
    ['amount of memory', { memoryMb: 512 }, 'other processors or memory'],
    ['kernel', { kernel: null }, 'another kernel'],
    ['disks', { volumes: [] }, 'other disks'],
    ['address', { address: '10.84.0.2' }, 'its address in the network of its project'],
  ])('does not fit one of another %s, and says so', (_, other, why) => {
    expect(misfit(saved, { ...saved, ...other })).toContain(why)
  })

  test('fits whatever its address is where either had none', () => {
    const { address: _, ...without } = saved
    expect(misfit(without, saved)).toBeNull()
    expect(misfit(saved, without)).toBeNull()
  })
})
