import { describe, expect, test } from 'vitest'
import type { HostFacts } from '../host-facts.ts'
import { isOfHost, keyOf, type WarmFit, warmFitOf, whyCold } from './fit.ts'

const host: HostFacts = {
  accelerator: { kind: 'TCG', cpu: 'Nehalem', reason: '' },
  network: {
    users: null,
    restrict: false,
    apart: null,
    sentence: '',
    again: null,
    protect: async () => 'stood',
  },
  bootId: 'boot',
  qemu: '7.2.22',
  ticksPerSecond: 100,
}
const image = {
  disk: '/data/images/files/aa',
  kernel: '/data/images/files/bb',
  initrd: '/data/images/files/cc',
  cmdline: 'root=/dev/vda quiet',
}
const spec = { cpu: 1, memoryMb: 256 }
const fit = warmFitOf({ spec, image }, host)

describe('What a frozen guest fits', () => {
  const others: Record<string, WarmFit> = {
    'more processors': warmFitOf({ spec: { ...spec, cpu: 2 }, image }, host),
    'more memory': warmFitOf({ spec: { ...spec, memoryMb: 512 }, image }, host),
    'another disk': warmFitOf({ spec, image: { ...image, disk: '/data/images/files/dd' } }, host),
    'a larger disk': warmFitOf({ spec, image: { ...image, rootBytes: 1024 ** 4 } }, host),
    'another kernel': warmFitOf({ spec, image: { ...image, kernel: '/data/images/files/dd' } }, host),
    'another RAM disk': warmFitOf({ spec, image: { ...image, initrd: '/data/images/files/dd' } }, host),
    'another command line': warmFitOf({ spec, image: { ...image, cmdline: 'root=/dev/vda' } }, host),
    'another QEMU': warmFitOf({ spec, image }, { ...host, qemu: '8.0.0' }),
    'another accelerator': warmFitOf(
      { spec, image },
      { ...host, accelerator: { kind: 'KVM', cpu: 'Nehalem', reason: '' } },
    ),
    'another processor': warmFitOf(
      { spec, image },
      { ...host, accelerator: { kind: 'TCG', cpu: 'Haswell', reason: '' } },
    ),
    'another network': warmFitOf({ spec, image }, { ...host, network: { ...host.network, apart: 'why' } }),
    'another format': { ...fit, format: fit.format + 1 },
  }

  test('all of these want another one, told apart from each other', () => {
    const keys = new Set([fit, ...Object.values(others)].map(keyOf))
    expect(keys.size).toBe(Object.keys(others).length + 1)
  })

  test('neither the order of fields nor where images lie makes a difference', () => {
    const turned = Object.fromEntries(Object.entries(fit).reverse()) as unknown as WarmFit
    expect(keyOf(turned)).toBe(keyOf(fit))
    expect(keyOf(JSON.parse(JSON.stringify(fit)))).toBe(keyOf(fit))
    const moved = { ...image, disk: '/elsewhere/aa', kernel: '/elsewhere/bb', initrd: '/elsewhere/cc' }
    expect(keyOf(warmFitOf({ spec, image: moved }, host))).toBe(keyOf(fit))
    expect(keyOf(fit)).toMatch(/^[0-9a-f]{64}$/)
  })

  test.each([
    [{}, true],
    [{ qemu: '8.0.0' }, false],
    [{ accelerator: 'KVM' as const }, false],
    [{ cpuModel: 'host' }, false],
    [{ format: 0 }, false],
    [{ shape: 4 }, false],
    [{ cpu: 8, memoryMb: 4096 }, true],
  ])('one that differs by %j is of use on this host: %j', (change, isOfUse) => {
    expect(isOfHost({ ...fit, ...change }, host)).toBe(isOfUse)
  })
})

test('VMs of foreign images, those with data disks and those with a larger root disk boot', () => {
  const spec = {}
  expect(whyCold({ spec, image, volumes: [] })).toBe(null)
  expect(whyCold({ spec, image: { disk: '/data/images/files/aa' }, volumes: [] })).toBe(
    'its image comes from elsewhere',
  )
  expect(whyCold({ spec, image, volumes: [{ id: 'one', port: 0 }] })).toBe('it has data disks')
  expect(whyCold({ spec, image, volumes: [], scripted: true })).toBe('it has a start script')
  const larger = 'its root disk is larger than that of its image'
  expect(whyCold({ spec: { rootBytes: 9 }, image, volumes: [] })).toBe(larger)
  expect(whyCold({ spec: { rootBytes: 9 }, image: { ...image, rootBytes: 8 }, volumes: [] })).toBe(larger)
  expect(whyCold({ spec: { rootBytes: 9 }, image: { ...image, rootBytes: 9 }, volumes: [] })).toBe(null)
})
