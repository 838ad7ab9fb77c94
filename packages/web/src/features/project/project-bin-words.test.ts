import type { BinProject } from '@slipway/contract'
import { expect, test } from 'vitest'
import { allContentsText, contentsOf, emptiedProjectsText, projectNote } from './project-bin-words.ts'

const empty: BinProject = {
  id: 'p',
  name: 'shop',
  deleted_at: '2026-11-20T10:00:00.000Z',
  deleted_by: null,
  delete_at: '2026-11-27T10:00:00.000Z',
  vms: 0,
  running_vms: 0,
  vm_pools: 0,
  vm_sets: 0,
  disks: 0,
  snapshots: 0,
  bin_items: 0,
}

test('what there is in a project is counted, and what there is none of is left out', () => {
  expect(contentsOf(empty)).toBe(null)
  expect(contentsOf({ ...empty, vms: 1, bin_items: 1 })).toBe('1 VM and 1 object in its own bin')
  expect(
    contentsOf({ ...empty, vms: 30, vm_pools: 1, vm_sets: 2, disks: 3, snapshots: 1, bin_items: 2 }),
  ).toBe('30 VMs, 1 VM pool, 2 VM sets, 3 disks, 1 snapshot, and 2 objects in its own bin')
})

test('what runs again is said', () => {
  expect(projectNote(empty)).toBe('It is empty.')
  expect(projectNote({ ...empty, vms: 2, running_vms: 1 })).toBe(
    'It contains 2 VMs. 1 VM runs again once it is restored.',
  )
  expect(projectNote({ ...empty, vms: 2, running_vms: 2 })).toBe(
    'It contains 2 VMs. 2 VMs run again once it is restored.',
  )
})

test('before the bin is emptied all is counted, with what the projects have', () => {
  expect(allContentsText([])).toBe('')
  expect(allContentsText([empty])).toBe('1 project')
  expect(allContentsText([{ ...empty, vms: 2, bin_items: 1 }])).toBe(
    '1 project with 2 VMs and 1 object in its own bin',
  )
  expect(
    allContentsText([
      { ...empty, vms: 2, disks: 1, bin_items: 1 },
      { ...empty, vms: 1, vm_pools: 1, bin_items: 1 },
    ]),
  ).toBe('2 projects with 3 VMs, 1 VM pool, 1 disk, and 2 objects in their own bins')
})

test('what came of emptying the bin is said, with why something stays', () => {
  expect(emptiedProjectsText(2, { deleted: 2, busy: 0 })).toEqual({
    text: 'Deleted 2 projects for good',
    detail: null,
  })
  expect(emptiedProjectsText(4, { deleted: 1, busy: 1 })).toEqual({
    text: 'Deleted 1 project for good',
    detail:
      '1 project stays: a snapshot or a restore is under way. Try again when it has ended. 2 projects were restored or deleted in the meantime.',
  })
})
