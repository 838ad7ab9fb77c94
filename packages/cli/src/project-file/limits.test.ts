import { noLimits } from '@slipway/contract/host.rules.ts'
import { describe, expect, it } from 'vitest'
import { disk, kind, plan, seen, vm, vmSchedule } from './project-file.test-kit.ts'
import type { Seen } from './seen.ts'

describe('what the engine cannot do', () => {
  const limited = (more: Partial<Seen> = {}) => {
    const cannot = {
      ...noLimits,
      networks: 'No networks here.',
      suspend: 'No suspending here.',
      change_keys: 'No other keys here.',
      grow_root_disks: 'No larger root disks here.',
      memory_snapshots: 'No memory here.',
      incremental_snapshots: 'No increments here.',
    }
    return seen({ cannot, sharing: { http: 'No shared ports here.', tcp: null }, ...more })
  }
  const unlimited = { cannot: noLimits, sharing: { http: null, tcp: null } }
  const schedule = (snapshot_type: string) => ({
    snapshot_schedule: { daily: { time: '03:00', keep: 7 }, snapshot_type },
  })

  it.each([
    [
      'no Internet access of a new project',
      { internet: false },
      limited({ project: null }),
      'Internet access: No networks here.',
    ],
    [
      'no Internet access of one that is there',
      { internet: false },
      limited(),
      'Internet access: No networks here.',
    ],
    [
      'Internet access again',
      { internet: true },
      limited({ internet: false }),
      'Internet access: No networks here.',
    ],
    [
      'a new VM that is suspended',
      { vms: { web: { ...kind, suspend_after_minutes: 30 } } },
      limited(),
      'VM web: No suspending here.',
    ],
    [
      'a VM that is suspended from now on',
      { vms: { web: { ...kind, suspend_after_minutes: 30 } } },
      limited({ vms: [vm('web')] }),
      'VM web: No suspending here.',
    ],
    [
      'a new VM with shared ports',
      { vms: { web: { ...kind, share_ports: [80] } } },
      limited(),
      'VM web: No shared ports here.',
    ],
    [
      'another SSH key',
      { vms: { web: { ...kind, ssh_key: 'desk' } } },
      limited({ vms: [vm('web')] }),
      'VM web: No other keys here.',
    ],
    [
      'a larger root disk',
      { vms: { web: { ...kind, root_disk_gb: 30 } } },
      limited({ vms: [vm('web')] }),
      'VM web: No larger root disks here.',
    ],
    [
      'scheduled snapshots with memory',
      { vms: { web: { ...kind, ...schedule('full') } } },
      limited(),
      'Snapshot schedule of VM web: No memory here.',
    ],
    [
      'incremental scheduled snapshots',
      { disks: { data: { size: '10Gi', ...schedule('incremental') } } },
      limited({ disks: [disk('data')] }),
      'Snapshot schedule of disk data: No increments here.',
    ],
  ])('is told before anything is done: %s', (_, what, there, problem) => {
    expect(plan(what, there).problems).toEqual([problem])
    expect(plan(what, { ...there, ...unlimited }).problems).toEqual([])
  })

  it.each([
    ['a new project with Internet access', { internet: true }, limited({ project: null })],
    ['a new project of which nothing is said', {}, limited({ project: null })],
    ['no Internet access where there is none', { internet: false }, limited({ internet: false })],
    ['a new VM with a root disk and a key', { vms: { web: { ...kind, root_disk_gb: 30 } } }, limited()],
    [
      'a VM that is not suspended any more',
      { vms: { web: { ...kind, suspend_after_minutes: null } } },
      limited({ vms: [vm('web', { suspend_after_minutes: 30 })] }),
    ],
    [
      'another note of a VM',
      { vms: { web: { ...kind, suspend_after_minutes: 30, note: 'a', share_ports: [80] } } },
      limited({ vms: [vm('web', { suspend_after_minutes: 30 })] }),
    ],
    [
      'snapshots of disks',
      {
        vms: { web: { ...kind, ...schedule('disk') } },
        disks: { data: { size: '10Gi', ...schedule('full') } },
      },
      limited(),
    ],
    [
      'a schedule that is there',
      { vms: { web: { ...kind, ...schedule('full') } } },
      limited({ vms: [vm('web', { snapshot_schedule: vmSchedule({ snapshot_type: 'full' }) })] }),
    ],
    [
      'the deletion of a schedule',
      { vms: { web: kind } },
      limited({ vms: [vm('web', { snapshot_schedule: vmSchedule({ snapshot_type: 'full' }) })] }),
    ],
  ])('does not keep it from %s', (_, what, there) => {
    expect(plan(what, there, true).problems).toEqual([])
  })
})
