import { diskStatuses } from '@slipway/contract'
import { expect, test } from 'vitest'
import { type DiskFacts, type DiskStep, planDisk } from './disk.plan.ts'

const bools = [false, true] as const
const volumes = ['absent', 'whole', 'broken'] as const
type Volume = (typeof volumes)[number]

function* everyDisk(): Generator<[DiskFacts, Volume]> {
  for (const status of diskStatuses)
    for (const vmId of [null, 'vm'])
      for (const plugged of bools)
        for (const detaching of bools)
          for (const volume of volumes) {
            // The database holds this (constraint disk_attached).
            if ((status === 'attached') !== (vmId !== null) && status !== 'error') continue
            yield [{ status, vmId, plugged, detaching }, volume]
          }
}

/** Does a step as the reconciler and an engine would; null when the disk is gone. */
function act(disk: DiskFacts, volume: Volume, step: DiskStep, lucky: boolean): [DiskFacts, Volume] | null {
  switch (step) {
    case 'make':
      return lucky ? [{ ...disk, status: 'available' }, 'whole'] : [{ ...disk, status: 'failed' }, 'absent']
    case 'delete':
      return null
    case 'lose':
      return [{ ...disk, status: 'error' }, volume]
    case 'plug':
      return [{ ...disk, plugged: true }, volume]
    case 'free':
      return [{ ...disk, detaching: false }, volume]
    case 'unplug': {
      if (!lucky) return [{ ...disk, detaching: false }, volume]
      const status = disk.status === 'attached' ? 'available' : disk.status
      return [{ status, vmId: null, plugged: false, detaching: false }, volume]
    }
    case 'rest':
      return [disk, volume]
  }
}

test('a disk converges from everything there can be, with and without luck, and then rests', () => {
  for (const [start, volume] of everyDisk()) {
    for (const lucky of bools) {
      let world: [DiskFacts, Volume] | null = [start, volume]
      let steps = 0
      while (world && planDisk(...world) !== 'rest') {
        world = act(...world, planDisk(...world), lucky)
        if (++steps > 5) expect.fail(`no rest from ${JSON.stringify(start)} with a volume that is ${volume}`)
      }
      if (!world) {
        expect(start.status).toBe('deleting')
        continue
      }
      const [disk, has] = world
      expect(['available', 'attached', 'failed', 'error']).toContain(disk.status)
      expect(disk.detaching).toBe(false)
      if (disk.status === 'attached') expect(disk.plugged).toBe(true)
      if (disk.status === 'available' || disk.status === 'attached') expect(has).toBe('whole')
    }
  }
})

test('a disk that is deleted is never made or put on a VM again', () => {
  for (const [disk, volume] of everyDisk())
    if (disk.status === 'deleting') expect(planDisk(disk, volume)).toBe('delete')
})

test('a failed disk is left to its user', () => {
  const failed: DiskFacts = { status: 'failed', vmId: null, plugged: false, detaching: false }
  for (const volume of volumes) expect(planDisk(failed, volume)).toBe('rest')
})
