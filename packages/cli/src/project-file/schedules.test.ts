import { accessTexts } from '@slipway/contract/access.rules.ts'
import { describe, expect, it } from 'vitest'
import { disk, diskSchedule, kind, lines, plan, seen, vm, vmSchedule } from './project-file.test-kit.ts'

describe('snapshot schedules', () => {
  const daily = { time: '03:00', keep: 7 }
  const ofVm = { vms: { web: { ...kind, snapshot_schedule: { daily } } } }
  const ofDisk = { disks: { data: { size: '10Gi', snapshot_schedule: { daily } } } }
  const without = { vms: { web: kind }, disks: { data: { size: '10Gi' } } }
  const has = (more: object = {}) =>
    seen({
      vms: [vm('web', { snapshot_schedule: vmSchedule(more) })],
      disks: [disk('data', { snapshot_schedule: diskSchedule(more) })],
    })

  it('are set right after what they are of is made', () => {
    expect(lines({ ...ofVm, ...ofDisk }, seen({ project: null }))).toEqual([
      '+ project shop',
      '+ disk data: 10Gi',
      '+ snapshot schedule of disk data: daily at 03:00, keeps 7 (UTC)',
      '+ VM web: Starter Linux',
      '+ snapshot schedule of VM web: daily at 03:00, keeps 7 (UTC)',
      '5 to create, 0 to change, 0 to delete.',
    ])
  })

  it('are set on what is there', () => {
    expect(lines(ofVm, seen({ vms: [vm('web')] }))).toEqual([
      '+ snapshot schedule of VM web: daily at 03:00, keeps 7 (UTC)',
      '1 to create, 0 to change, 0 to delete.',
    ])
  })

  it('are left alone where they are as the file says, whatever came of them', () => {
    const there = has({ next_at: null, not_deleted: 'In use.' })
    expect(plan({ ...ofVm, ...ofDisk }, there, true)).toMatchObject({ steps: [], problems: [], kept: [] })
  })

  it('are changed as a whole: what the file leaves out is off', () => {
    const there = has({ hourly: { minute: 0, keep: 24 }, paused: true, time_zone: 'Europe/Berlin' })
    expect(lines(ofDisk, there)[0]).toBe(
      '~ snapshot schedule of disk data: hourly {"minute":0,"keep":24} -> null, time_zone Europe/Berlin -> UTC, paused true -> false',
    )
    const full = { vms: { web: { ...kind, snapshot_schedule: { daily, snapshot_type: 'full' } } } }
    expect(plan(full, has()).steps).toMatchObject([
      { do: 'change', what: 'vm_schedules', changes: [{ field: 'snapshot_type', from: 'disk', to: 'full' }] },
    ])
  })

  it('stay unless their deletion is asked for', () => {
    expect(lines(without, has())).toEqual([
      '  snapshot schedule of disk data is not in the file and stays',
      '  snapshot schedule of VM web is not in the file and stays',
      'Nothing to do: the project is as the file says.',
    ])
    expect(lines(without, has(), true)).toEqual([
      '- snapshot schedule of disk data',
      '- snapshot schedule of VM web',
      '0 to create, 0 to change, 2 to delete.',
    ])
  })

  it('go or stay with what they are of', () => {
    expect(plan({}, has())).toMatchObject({ steps: [], kept: [{ what: 'disks' }, { what: 'vms' }] })
    expect(plan({}, has(), true).steps).toMatchObject([{ what: 'vms' }, { what: 'disks' }])
  })

  it('are refused to viewers, and not to operators', () => {
    const as = (role: 'viewer' | 'operator') => {
      const project = { id: 'p', name: 'shop', description: '', role }
      return { ...seen({ vms: [vm('web')], disks: [disk('data')] }), project }
    }
    const refused = [`Snapshot schedules: ${accessTexts.operator}`]
    expect(plan({ ...ofVm, ...ofDisk }, as('viewer')).problems).toEqual(refused)
    expect(plan({ ...ofVm, ...ofDisk }, as('operator')).problems).toEqual([])
    expect(plan(without, { ...has(), project: as('viewer').project }, true).problems).toEqual(refused)
  })
})
