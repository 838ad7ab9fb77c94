import { describe, expect, test } from 'vitest'
import { machineSpec } from '../engine.test-kit.ts'
import { commandLine, type Launch, MACHINE_SHAPE, VOLUME_PORTS } from './command-line.ts'
import { aRun } from './machine-dir.test-kit.ts'

const launch: Launch = {
  record: {
    spec: machineSpec('web-1', { cpu: 2, memoryMb: 1024 }),
    address: { ip: '127.100.1.2', port: 22 },
    image: { disk: '/disk', kernel: '/kernel', initrd: '/initrd', cmdline: 'root=/dev/vda' },
    volumes: [{ id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee', port: 0 }],
    restored: null,
  },
  run: { ...aRun, run: 'run-id', shape: MACHINE_SHAPE, user: 1_879_048_200, cpuModel: 'Nehalem' },
  accelerator: { kind: 'TCG', cpu: 'Nehalem', reason: '' },
  network: { restrict: false },
  volumePath: (id) => `/volumes,with comma/${id}`,
}
const valuesOf = (args: string[], option: string) =>
  args.flatMap((arg, index) => (args[index - 1] === option ? [arg] : []))

describe("QEMU's command line", () => {
  test('names both ids by which the process is found again', () => {
    const args = commandLine(launch)
    expect(valuesOf(args, '-uuid')).toEqual([launch.record.spec.id])
    expect(valuesOf(args, '-name')).toEqual(['run-run-id'])
  })

  test('spares a kernel under translation page tables of its own, and no other', () => {
    const kvm = { kind: 'KVM', cpu: 'host', reason: '' } as const
    expect(valuesOf(commandLine(launch), '-append')).toEqual(['root=/dev/vda swiotlb=1024 nopti'])
    expect(valuesOf(commandLine({ ...launch, accelerator: kvm }), '-append')).toEqual([
      'root=/dev/vda swiotlb=1024',
    ])
  })

  test('keeps places for more, but not for a guest that was saved without any', () => {
    expect(valuesOf(commandLine(launch), '-m')).toEqual(['size=1024M,slots=8,maxmem=8192M'])
    const before = commandLine({ ...launch, run: { ...launch.run, shape: 4, resumed: true } })
    expect([...valuesOf(before, '-m'), ...valuesOf(before, '-smp')]).toEqual(['1024', '2'])
  })

  test('has what was plugged into a guest that goes on beside what it booted with', () => {
    const args = commandLine({ ...launch, run: { ...launch.run, added: { cpus: 1, memoryMb: [512] } } })
    expect(valuesOf(args, '-m')).toEqual(['size=512M,slots=8,maxmem=8192M'])
    expect(valuesOf(args, '-smp')[0]).toMatch(/^cpus=1,/)
    const [cpu, dimm] = valuesOf(args, '-device').map((device) => device.split(',')[1])
    expect([cpu, dimm]).toEqual(['id=cpu1', 'id=dimm0'])
  })

  test('gives memory that is a file the name of memory that is none', () => {
    const memory = { path: '/warm,with comma/memory', use: 'map' } as const
    const args = commandLine({ ...launch, run: { ...launch.run, warm: { renewed: false } }, memory })
    const backend = valuesOf(args, '-object')
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text))
    const file = { 'mem-path': '/warm,with comma/memory', share: false, size: 1024 ** 3 }
    expect(backend).toEqual([{ 'qom-type': 'memory-backend-file', id: 'pc.ram', ...file }])
    expect(valuesOf(args, '-machine')[0]).toMatch(/,memory-backend=pc\.ram$/)
    expect(valuesOf(args, '-incoming')).toEqual(['defer'])
    expect(valuesOf(commandLine(launch), '-incoming')).toEqual([])
    expect(valuesOf(commandLine(launch), '-machine')[0]).not.toContain('memory-backend')
  })

  test('names the format of every disk and survives commas in paths', () => {
    const disks = valuesOf(commandLine(launch), '-blockdev').map((text) => JSON.parse(text))
    expect(disks.map(({ driver }) => driver)).toEqual(['qcow2', 'qcow2', 'raw'])
    expect(disks[1].file.filename).toBe('/volumes,with comma/aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee')
    expect(disks[2]).toMatchObject({ 'node-name': 'seed', 'read-only': true })
  })

  test('gives a volume the first twenty characters of its id as serial', () => {
    const devices = valuesOf(commandLine(launch), '-device')
    expect(devices).toContain(
      'virtio-blk-pci,id=volume0,drive=volume0,serial=aaaaaaaa-bbbb-4ccc-8,bus=port0,werror=stop',
    )
  })

  test('places every device where no other one is', () => {
    const devices = valuesOf(commandLine(launch), '-device')
    const places = devices.flatMap((device) => /addr=([^,]+)/.exec(device)?.[1] ?? [])
    expect(new Set(places).size).toBe(places.length)
    expect(devices.filter((device) => device.startsWith('pcie-root-port'))).toHaveLength(VOLUME_PORTS + 1)
  })

  test('lets a machine without a lasting root end when its guest reboots', () => {
    const { record } = launch
    const forgetter = { ...record, spec: { ...record.spec, persistent: false } }
    expect(valuesOf(commandLine(launch), '-action')[0]).toContain('reboot=reset')
    expect(valuesOf(commandLine({ ...launch, record: forgetter }), '-action')[0]).toContain('reboot=shutdown')
  })

  test('cuts the guest off where the host cannot be protected otherwise', () => {
    const network = { restrict: true }
    const open = valuesOf(commandLine(launch), '-netdev')[0]
    const { user: _, ...run } = launch.run
    const closed = commandLine({ ...launch, run, network })
    expect(open).toBe('user,id=net,ipv6=off,hostfwd=tcp:127.100.1.2:22-:22')
    expect(valuesOf(closed, '-netdev')[0]).toContain('restrict=on')
    expect(valuesOf(closed, '-runas')).toEqual([])
    expect(valuesOf(closed, '-sandbox')[0]).toContain('elevateprivileges=deny')
  })
})
