import { expect, test } from 'vitest'
import {
  type DiskSnapshotForm,
  emptyDiskSnapshotForm,
  firstBrokenRule,
  toBody,
} from './disk-snapshot-form.ts'

const good: DiskSnapshotForm = { ...emptyDiskSnapshotForm, name: ' nightly ', diskId: 'd' }
const broken = (change: Partial<DiskSnapshotForm>) => firstBrokenRule({ ...good, ...change }, 'p')?.text

test('the body of a fresh form asks for all of the disk and for 30 days', () => {
  expect(toBody(good)).toEqual({
    name: 'nightly',
    description: '',
    snapshot_type: 'full',
    retention_days: 30,
    disk_id: 'd',
  })
})

test('a complete form breaks no rule', () => {
  expect(firstBrokenRule(good, 'p')).toBeNull()
  expect(broken({ type: 'incremental', retentionDays: 3650 })).toBeUndefined()
})

test('each rule has its own sentence', () => {
  expect(broken({ name: '   ' })).toBe('Please enter a snapshot name')
  expect(broken({ diskId: '' })).toBe('Please select a disk to snapshot')
  expect(firstBrokenRule(good, undefined)?.text).toBe('No project selected')
  for (const retentionDays of [0, 3651, 1.5]) {
    expect(broken({ retentionDays })).toBe('Minimum: 1 day, Maximum: 10 years')
  }
})

test('rules are told in the order of the specification', () => {
  const worst: DiskSnapshotForm = { ...emptyDiskSnapshotForm, retentionDays: 0 }
  expect(firstBrokenRule(worst, undefined)?.field).toBe('name')
  expect(firstBrokenRule({ ...worst, name: 'a' }, undefined)?.field).toBe('disk')
  expect(firstBrokenRule({ ...worst, name: 'a', diskId: 'd' }, undefined)?.field).toBe('project')
  expect(firstBrokenRule({ ...worst, name: 'a', diskId: 'd' }, 'p')?.field).toBe('retention')
})
