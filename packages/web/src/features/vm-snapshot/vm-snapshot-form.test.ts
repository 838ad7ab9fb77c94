import { noLimits } from '@slipway/contract'
import { expect, test } from 'vitest'
import type { SnapshotForm } from '../snapshot/snapshot-form.ts'
import { brokenRules, emptyVmSnapshotForm, possible, toBody } from './vm-snapshot-form.ts'

const good: SnapshotForm = { ...emptyVmSnapshotForm, name: ' nightly ', sourceId: 'v' }
const broken = (change: Partial<SnapshotForm>) => brokenRules({ ...good, ...change })[0]?.text
const now = new Date('2026-11-20T10:00:00.000Z')

test('the body of a fresh form asks for the disks and for 30 days', () => {
  expect(toBody(good, now)).toEqual({
    name: 'nightly',
    snapshot_type: 'disk',
    retention_days: 30,
    skip_memory_snapshot: true,
    metadata: { created_by: 'ui', created_at: '2026-11-20T10:00:00.000Z' },
  })
})

test('a full snapshot does not skip the memory, and a description is sent when there is one', () => {
  expect(toBody({ ...good, type: 'full', description: ' before the upgrade ' }, now)).toMatchObject({
    snapshot_type: 'full',
    skip_memory_snapshot: false,
    description: 'before the upgrade',
  })
})

test('a complete form breaks no rule', () => {
  expect(brokenRules(good)).toEqual([])
  expect(broken({ retentionDays: 1 })).toBeUndefined()
  expect(broken({ retentionDays: 365 })).toBeUndefined()
})

test('each rule has its own sentence', () => {
  expect(broken({ name: '   ' })).toBe('Please enter a snapshot name')
  expect(broken({ sourceId: '' })).toBe('Please select a VM')
  for (const retentionDays of [0, 366, -1, 1.5]) {
    expect(broken({ retentionDays })).toBe('Retention must be between 1 and 365 days')
  }
  expect(broken({ description: 'a'.repeat(1001) })).toBe('Use at most 1000 characters for the description')
})

test('rules are told in the order of the form', () => {
  const worst: SnapshotForm = { ...emptyVmSnapshotForm, description: 'a'.repeat(1001), retentionDays: 0 }
  expect(brokenRules(worst).map(({ field }) => field)).toEqual(['name', 'description', 'source', 'retention'])
})

test('where no memory can be saved a full snapshot becomes one of the disks, all else stays', () => {
  const unable = {
    ...noLimits,
    memory_snapshots: 'This cluster cannot save memory in a snapshot. Choose disk.',
  }
  const full: SnapshotForm = { ...good, type: 'full' }
  expect([possible(full, noLimits), possible(good, unable)]).toEqual([full, good])
  expect(possible(full, unable)).toEqual(good)
})
