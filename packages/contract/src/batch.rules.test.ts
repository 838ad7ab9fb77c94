import { describe, expect, it } from 'vitest'
import { leastRoles } from './access.rules.ts'
import {
  type BatchAction,
  batchActions,
  batchSnapshotName,
  batchSummary,
  batchTitle,
  changedTags,
  unknownIds,
} from './batch.rules.ts'
import { BatchCreate } from './batch.ts'
import { routes } from './routes.ts'

const actions = Object.keys(batchActions) as BatchAction[]

it('a batch can be requested by whoever may make its calls, and by nobody else', () => {
  for (const action of actions) expect(leastRoles[action], action).toBe(leastRoles['batch.create'])
})

it('there is a form of the body for each action, which is the name of a call', () => {
  const more = { name: 'x', add_tags: ['x'] }
  for (const action of actions) {
    expect(routes).toHaveProperty([action])
    expect(BatchCreate.safeParse({ action, ids: ['a'], ...more }).success, action).toBe(true)
  }
})

describe('the name of one of many snapshots', () => {
  for (const [wanted, of, name] of [
    ['nightly', 'web', 'nightly'],
    ['{name}', 'web', 'web'],
    ['Before {name}, of {name}', 'web', 'Before web, of web'],
    ['{name}', '$& $1', '$& $1'],
    ['x {name}', 'y'.repeat(120), `x ${'y'.repeat(98)}`],
    ['{name}', `${'y'.repeat(99)}🛒`, 'y'.repeat(99)],
    ['{name} x', `${'y'.repeat(99)}`, 'y'.repeat(99)],
  ] as const)
    it(`is "${name.slice(0, 20)}" for "${wanted}" of "${of.slice(-3)}"`, () =>
      expect(batchSnapshotName(wanted, of)).toBe(name))
})

it('tags are added and removed, each once and in order; what is not there needs no removing', () => {
  const change = { add_tags: ['b', 'a'], remove_tags: ['c', 'x'] }
  expect(changedTags(['c', 'b', 'd'], change)).toEqual(['a', 'b', 'd'])
  expect(changedTags([], { add_tags: [], remove_tags: ['x'] })).toEqual([])
})

it('a batch is named by what it does and for how many', () => {
  expect(batchTitle('vm.start', 1)).toBe('Start 1 VM')
  expect(batchTitle('vm.stop', 30)).toBe('Stop 30 VMs')
  expect(batchTitle('vm.delete', 1)).toBe('Delete 1 VM')
  expect(batchTitle('disk.delete', 2)).toBe('Delete 2 disks')
  expect(batchTitle('disk.delete', 2, true)).toBe('Delete 2 disks for good')
  expect(batchTitle('vmSnapshot.delete', 2)).toBe('Delete 2 snapshots')
  expect(batchTitle('diskSnapshot.delete', 1)).toBe('Delete 1 snapshot')
  expect(batchTitle('vmPool.delete', 2)).toBe('Delete 2 pools')
  expect(batchTitle('vmSet.delete', 1, true)).toBe('Delete 1 set for good')
})

it('its progress says what failed and what was left out only where there is some', () => {
  const counts = { total: 30, waiting: 0, done: 30, failed: 0, left_out: 0 }
  expect(batchSummary(counts)).toBe('30 of 30 requested')
  expect(batchSummary({ ...counts, done: 20, failed: 3, left_out: 7 })).toBe(
    '20 of 30 requested, 3 failed, 7 left out',
  )
})

it('of many unknown ids the first are named', () => {
  expect(unknownIds(['a', 'b'])).toBe('Not found in this project: a, b')
  expect(unknownIds(['a', 'b', 'c', 'd', 'e'])).toBe('Not found in this project: a, b, c and 2 more')
})
