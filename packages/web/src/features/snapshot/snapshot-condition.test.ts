import { expect, test } from 'vitest'
import { snapshotCondition } from './snapshot-condition.ts'

const since = '2026-11-20T10:00:00.000Z'
const snapshot = (status: string, status_message: string | null = null) => ({
  status,
  status_message,
  status_since: since,
  progress: null,
})
const again = 'Delete this snapshot and create it again.'

test.each([
  ['pending', 'Waiting to start'],
  ['creating', 'Saving'],
  ['processing', 'Saving'],
  ['deleting', 'Deleting'],
])('a snapshot that is %s says so: %s', (status, step) => {
  expect(snapshotCondition(snapshot(status))).toEqual({ tone: 'working', step, progress: null, since })
})

test('a failed one is created again, where the server does not say what to do', () => {
  expect(snapshotCondition(snapshot('failed', 'The host is full.'))).toMatchObject({ next: again })
  expect(snapshotCondition(snapshot('failed', 'Free some and create it again.'))).toMatchObject({
    next: undefined,
  })
  // One that broke later is not made whole by that.
  expect(snapshotCondition(snapshot('Error', 'The file is missing.'))).toMatchObject({
    tone: 'failed',
    next: undefined,
  })
})

test('a ready one needs no words, unless the server has some', () => {
  expect(snapshotCondition(snapshot('ready'))).toBeNull()
  expect(snapshotCondition(snapshot('ready', 'Kept longer.'))).toEqual({
    tone: 'known',
    reason: 'Kept longer.',
  })
})
