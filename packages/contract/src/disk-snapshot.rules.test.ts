import { expect, test } from 'vitest'
import {
  diskSnapshotRetention,
  diskSnapshotStateOf,
  diskSnapshotStatuses,
  diskSnapshotTexts,
  diskSnapshotTypeAllowed,
  diskSnapshotTypes,
} from './disk-snapshot.rules.ts'

test('the status of a disk snapshot is one of three, in any letter case', () => {
  for (const words of [diskSnapshotStatuses, diskSnapshotStatuses.map((word) => word.toUpperCase())])
    expect(words.map((status) => diskSnapshotStateOf({ status }))).toEqual([
      'creating',
      'ready',
      'failed',
      'failed',
    ])
  expect(diskSnapshotStatuses).toContain('error')
})

test('a disk snapshot is full where it cannot hold the changes alone', () => {
  const cannot = { incremental_snapshots: 'No.' }
  expect(diskSnapshotTypes.map((type) => [type, diskSnapshotTypeAllowed(type, cannot)])).toEqual([
    ['full', true],
    ['incremental', 'No.'],
  ])
})

test('a disk snapshot is kept for as long as its sentence says', () => {
  const { min, max, default: usual } = diskSnapshotRetention
  expect(diskSnapshotTexts.retentionInvalid).toBe(`Minimum: ${min} day, Maximum: ${max / 365} years`)
  expect(usual).toBe(30)
})
