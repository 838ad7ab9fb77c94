import { noLimits } from '@slipway/contract'
import { expect, test } from 'vitest'
import type { SnapshotForm } from '../snapshot/snapshot-form.ts'
import { brokenRules, emptyDiskSnapshotForm, possible, toBody } from './disk-snapshot-form.ts'

const good: SnapshotForm = { ...emptyDiskSnapshotForm, name: ' nightly ', sourceId: 'd' }
const broken = (change: Partial<SnapshotForm>) => brokenRules({ ...good, ...change }, 'p')[0]?.text

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
  expect(brokenRules(good, 'p')).toEqual([])
  expect(broken({ type: 'incremental', retentionDays: 3650 })).toBeUndefined()
})

test('each rule has its own sentence', () => {
  expect(broken({ name: '   ' })).toBe('Please enter a snapshot name')
  expect(broken({ sourceId: '' })).toBe('Please select a disk to snapshot')
  expect(brokenRules(good, undefined)[0]?.text).toBe('No project selected')
  for (const retentionDays of [0, 3651, 1.5]) {
    expect(broken({ retentionDays })).toBe('Minimum: 1 day, Maximum: 10 years')
  }
})

test('rules are told in the order of the specification', () => {
  const worst: SnapshotForm = {
    ...emptyDiskSnapshotForm,
    description: 'a'.repeat(1001),
    retentionDays: 0,
  }
  const order = brokenRules(worst, undefined).map(({ field }) => field)
  expect(order).toEqual(['name', 'source', 'project', 'retention', 'description'])
})

test('where no changes can be saved an incremental snapshot becomes a full one, all else stays', () => {
  const unable = { ...noLimits, incremental_snapshots: 'Choose full.' }
  const incremental: SnapshotForm = { ...good, type: 'incremental' }
  expect([possible(incremental, noLimits), possible(good, unable)]).toEqual([incremental, good])
  expect(possible(incremental, unable)).toEqual(good)
})
