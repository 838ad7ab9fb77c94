import { expect, test } from 'vitest'
import { alsoDeleted } from './also-deleted.ts'

test.each([
  [{ disk: 0, 'VM snapshot': 0 }, null],
  [{ disk: 1, 'VM snapshot': 0 }, 'Its 1 disk is deleted, too.'],
  [{ disk: 2, 'VM snapshot': 0 }, 'Its 2 disks are deleted, too.'],
  [{ 'VM pool': 1, 'VM set': 2, disk: 0 }, 'Its 1 VM pool and 2 VM sets are deleted, too.'],
  [{ 'object in the bin': 1 }, 'Its 1 object in the bin is deleted, too.'],
  [{ disk: 1, 'object in the bin': 2 }, 'Its 1 disk and 2 objects in the bin are deleted, too.'],
  [{ disk: 1, 'VM snapshot': 1 }, 'Its 1 disk and 1 VM snapshot are deleted, too.'],
  [
    { disk: 3, 'VM snapshot': 1, 'disk snapshot': 2 },
    'Its 3 disks, 1 VM snapshot, and 2 disk snapshots are deleted, too.',
  ],
])('%j goes with a project', (counts, sentence) => {
  expect(alsoDeleted(counts)).toBe(sentence)
})
