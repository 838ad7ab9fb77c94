import { diskStatuses } from '@slipway/contract'
import { expect, test } from 'vitest'
import { type DiskFacts, type DiskStep, type DiskVolume, type DiskWork, planDisk } from './disk.plan.ts'

const bools = [false, true] as const
const volumes = ['absent', 'whole', 'broken', 'unreadable'] as const
const works = ['none', 'under-way', 'settled'] as const
type World = [DiskFacts, DiskVolume, DiskWork]

function* everyDisk(): Generator<World> {
  for (const status of diskStatuses)
    for (const vmId of [null, 'vm'])
      for (const plugged of bools)
        for (const detaching of bools)
          for (const troubled of bools)
            for (const volume of volumes)
              for (const work of works) {
                // The database holds this (constraint disk_attached).
                if ((status === 'attached') !== (vmId !== null) && status !== 'error') continue
                for (const isKept of status === 'deleting' ? bools : [false])
                  for (const growth of ['none', 'wanted', 'done'] as const)
                    yield [{ status, isKept, vmId, plugged, detaching, growth, troubled }, volume, work]
              }
}

/** Does a step as the reconciler and an engine would; null when the disk is gone. */
function act([disk, volume, work]: World, step: DiskStep, lucky: boolean): World | null {
  const idle = { ...disk, troubled: false }
  switch (step) {
    case 'make':
      return [disk, lucky ? 'whole' : 'absent', 'settled']
    case 'take':
      return lucky
        ? [{ ...idle, status: 'available' }, 'whole', 'none']
        : [{ ...idle, status: 'failed' }, 'absent', 'none']
    case 'abort':
      return [disk, volume, 'settled']
    case 'delete':
      return null
    case 'clear':
      return [disk, 'absent', 'none']
    case 'lose':
      return [{ ...disk, status: 'error' }, volume, work]
    case 'found':
      return [{ ...idle, status: disk.vmId === null ? 'available' : 'attached' }, volume, work]
    case 'wait':
      // The file can be read again; what it turns out to be is luck.
      return [{ ...disk, troubled: true }, lucky ? 'whole' : 'absent', work]
    case 'plug':
    case 'unplug':
    case 'grow':
      return [disk, volume, 'settled']
    case 'take-move': {
      // The job may have been another one: then the plan asks for the right one next.
      if (disk.growth === 'wanted' && (disk.vmId === null || (disk.plugged && !disk.detaching)))
        return [{ ...idle, growth: lucky ? 'done' : 'none' }, volume, 'none']
      if (disk.vmId === null) return [disk, volume, 'none']
      if (!disk.detaching) return [{ ...idle, plugged: true }, volume, 'none']
      if (!lucky) return [{ ...disk, detaching: false }, volume, 'none']
      const status = disk.status === 'attached' ? 'available' : disk.status
      return [{ ...disk, status, vmId: null, plugged: false, detaching: false }, volume, 'none']
    }
    case 'free':
      return [{ ...disk, detaching: false }, volume, work]
    case 'note-size':
      return [{ ...idle, growth: 'none' }, volume, work]
    case 'rest':
      // The job ends.
      return [disk, volume, work === 'under-way' ? 'settled' : work]
  }
}

const isAtRest = (world: World) => planDisk(...world) === 'rest' && world[2] !== 'under-way'

test('a disk converges from everything there can be, with and without luck, and then rests', () => {
  for (const start of everyDisk()) {
    for (const lucky of bools) {
      let world: World | null = start
      let steps = 0
      while (world && !isAtRest(world)) {
        world = act(world, planDisk(...world), lucky)
        if (++steps > 10) expect.fail(`no rest from ${JSON.stringify(start)}`)
      }
      if (!world) {
        expect(start[0].status).toBe('deleting')
        continue
      }
      const [disk, has] = world
      if (disk.isKept) continue
      expect(['available', 'attached', 'failed', 'error']).toContain(disk.status)
      expect(disk.detaching).toBe(false)
      if (disk.status === 'attached') expect(disk.plugged).toBe(true)
      if (disk.status === 'available' || disk.status === 'attached') {
        expect(has).toBe('whole')
        expect(disk.growth).toBe('none')
      }
    }
  }
})

test('a disk that is deleted is never made or put on a VM again', () => {
  for (const world of everyDisk())
    if (world[0].status === 'deleting' && !world[0].isKept)
      expect(planDisk(...world)).toBe(world[2] === 'under-way' ? 'abort' : 'delete')
})

test('nothing is done to a disk in the bin', () => {
  for (const world of everyDisk()) if (world[0].isKept) expect(planDisk(...world)).toBe('rest')
})

test('a disk that cannot be read is neither lost nor removed', () => {
  for (const [disk, volume, work] of everyDisk())
    if (volume === 'unreadable' && disk.status !== 'deleting' && work === 'none')
      expect(['wait', 'unplug', 'free', 'rest']).toContain(planDisk(disk, volume, work))
})

const broken: Omit<DiskFacts, 'status'> = {
  isKept: false,
  vmId: null,
  plugged: false,
  detaching: false,
  growth: 'none',
  troubled: true,
}

test('a disk that was lost is available again, or attached, when its volume is there again', () => {
  const lost: DiskFacts = { ...broken, status: 'error' }
  expect(planDisk(lost, 'whole', 'none')).toBe('found')
  for (const volume of ['absent', 'broken'] as const) expect(planDisk(lost, volume, 'none')).toBe('rest')
})

test('a disk that failed is never made again, and nothing of it stays on the host', () => {
  const failed: DiskFacts = { ...broken, status: 'failed' }
  expect(planDisk(failed, 'absent', 'none')).toBe('rest')
  expect(planDisk(failed, 'unreadable', 'none')).toBe('rest')
  expect(planDisk(failed, 'absent', 'under-way')).toBe('abort')
  for (const volume of ['whole', 'broken'] as const) expect(planDisk(failed, volume, 'none')).toBe('clear')
})

test('a disk is made larger where it is, after it was attached or detached, and its size stored once it is seen', () => {
  for (const [disk, volume, work] of everyDisk()) {
    const step = planDisk(disk, volume, work)
    if (step !== 'grow' && step !== 'note-size') continue
    expect(disk.growth).toBe(step === 'grow' ? 'wanted' : 'done')
    expect([disk.detaching, volume, work]).toEqual([false, 'whole', 'none'])
    expect(disk.vmId === null || disk.plugged).toBe(true)
    expect(['available', 'attached']).toContain(disk.status)
  }
})

test.each<[Partial<DiskFacts>, DiskVolume, DiskWork, DiskStep]>([
  [{ status: 'creating' }, 'absent', 'none', 'make'],
  [{ status: 'creating' }, 'unreadable', 'none', 'wait'],
  [{ status: 'creating' }, 'unreadable', 'under-way', 'rest'],
  [{ status: 'creating' }, 'unreadable', 'settled', 'take'],
  [{}, 'whole', 'none', 'rest'],
  [{ troubled: true }, 'whole', 'none', 'found'],
  [{}, 'absent', 'none', 'lose'],
  [{}, 'broken', 'none', 'lose'],
  [{ growth: 'wanted' }, 'whole', 'under-way', 'rest'],
  [{ growth: 'wanted' }, 'whole', 'settled', 'take-move'],
  [{ status: 'attached', vmId: 'vm' }, 'whole', 'none', 'plug'],
  [{ status: 'attached', vmId: 'vm' }, 'unreadable', 'none', 'wait'],
  [{ status: 'attached', vmId: 'vm', plugged: true }, 'whole', 'none', 'rest'],
  [{ status: 'attached', vmId: 'vm', plugged: true, detaching: true }, 'absent', 'none', 'unplug'],
  [{ detaching: true }, 'absent', 'none', 'free'],
  [{ status: 'failed', detaching: true }, 'whole', 'none', 'free'],
  [{ status: 'failed' }, 'absent', 'settled', 'clear'],
  [{ status: 'error' }, 'unreadable', 'none', 'wait'],
])('a disk of %j whose volume is %s, with work %s: %s', (facts, volume, work, step) => {
  expect(planDisk({ ...broken, status: 'available', troubled: false, ...facts }, volume, work)).toBe(step)
})
