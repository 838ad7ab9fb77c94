import { noLimits } from '@slipway/contract/host.rules.ts'
import { describe, expect, it } from 'vitest'
import { disk, kind, plan, seen, vm, vmSchedule } from './project-file.test-kit.ts'
import type { ScheduledVm } from './schedules.ts'
import type { Seen } from './seen.ts'

describe('what the engine cannot do', () => {
  const cannot = {
    ...noLimits,
    networks: 'No networks here.',
    suspend: 'No suspending here.',
    change_keys: 'No other keys here.',
    grow_root_disks: 'No larger root disks here.',
    memory_snapshots: 'No memory here.',
    incremental_snapshots: 'No increments here.',
  }
  const limited = (more: Partial<Seen> = {}) =>
    seen({ cannot, sharing: { http: 'No shared ports here.', tcp: null }, ...more })
  const unlimited = { cannot: noLimits, sharing: { http: null, tcp: null } }
  /** Where the VM is there already. */
  const hasWeb = (more: Partial<ScheduledVm> = {}) => limited({ vms: [vm('web', more)] })
  const web = (more: object) => ({ vms: { web: { ...kind, ...more } } })
  const data = (more: object) => ({ disks: { data: { size: '10Gi', ...more } } })
  const schedule = (snapshot_type: string) => ({
    snapshot_schedule: { daily: { time: '03:00', keep: 7 }, snapshot_type },
  })
  const suspends = { suspend_after_minutes: 30 }
  const scheduledInFull = hasWeb({ snapshot_schedule: vmSchedule({ snapshot_type: 'full' }) })

  const noNetworks = 'Internet access: No networks here.'
  it.each([
    ['no Internet access of a new project', { internet: false }, limited({ project: null }), noNetworks],
    ['no Internet access of one that is there', { internet: false }, limited(), noNetworks],
    ['Internet access again', { internet: true }, limited({ internet: false }), noNetworks],
    ['a new VM that is suspended', web(suspends), limited(), 'VM web: No suspending here.'],
    ['a VM that is suspended from now on', web(suspends), hasWeb(), 'VM web: No suspending here.'],
    ['a new VM with shared ports', web({ share_ports: [80] }), limited(), 'VM web: No shared ports here.'],
    ['another SSH key', web({ ssh_key: 'desk' }), hasWeb(), 'VM web: No other keys here.'],
    ['a larger root disk', web({ root_disk_gb: 30 }), hasWeb(), 'VM web: No larger root disks here.'],
    [
      'scheduled snapshots with memory',
      web(schedule('full')),
      limited(),
      'Snapshot schedule of VM web: No memory here.',
    ],
    [
      'incremental scheduled snapshots',
      data(schedule('incremental')),
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
    ['a new VM with a root disk and a key', web({ root_disk_gb: 30 }), limited()],
    ['a VM that is not suspended any more', web({ suspend_after_minutes: null }), hasWeb(suspends)],
    ['another note of a VM', web({ ...suspends, note: 'a', share_ports: [80] }), hasWeb(suspends)],
    ['snapshots of disks', { ...web(schedule('disk')), ...data(schedule('full')) }, limited()],
    ['a schedule that is there', web(schedule('full')), scheduledInFull],
    ['the deletion of a schedule', web({}), scheduledInFull],
  ])('does not keep it from %s', (_, what, there) => {
    expect(plan(what, there, true).problems).toEqual([])
  })
})
