import type { BinItem } from '@slipway/contract'
import { expect, test } from 'vitest'
import {
  alongText,
  contentsText,
  emptiedText,
  goesAlongText,
  kindText,
  shownItems,
  sizeText,
} from './bin-words.ts'

const item: BinItem = {
  id: 'a',
  project_id: 'p',
  kind: 'vm',
  name: 'web',
  deleted_at: '2026-11-20T10:00:00.000Z',
  deleted_by: null,
  delete_at: '2026-11-27T10:00:00.000Z',
  vms: [],
  disks: [],
  attached_disks: 0,
  ended_shares: 0,
  bytes: 0,
  has_memory: null,
}

test('what belongs to something is counted, and what there is none of is left out', () => {
  expect(alongText(item)).toBe('')
  expect(alongText({ ...item, disks: [{ id: 'd', name: 'data' }], has_memory: true })).toBe(
    '1 disk is in the bin with it: data. It goes on from its saved memory.',
  )
  expect(alongText({ ...item, attached_disks: 2, ended_shares: 3 })).toBe(
    '2 attached disks were kept, and are attached again if still available. 3 shared ports ended and do not come back.',
  )
})

test('of a pool or set the VMs are counted, and what is deleted for good with it', () => {
  const pool = {
    ...item,
    kind: 'vm_pool' as const,
    vms: ['web-1', 'web-2'].map((name) => ({ id: name, name })),
    attached_disks: 1,
  }
  expect(alongText(pool)).toBe(
    '2 VMs are in the bin with it: web-1, web-2. 1 attached disk was kept and detached.',
  )
  expect(goesAlongText(item)).toBe('')
  expect(goesAlongText(pool)).toBe(' and the 2 VMs in the bin with it')
  expect(goesAlongText({ vms: [], disks: [{ id: 'd', name: 'd' }] })).toBe(' and the disk in the bin with it')
  expect(goesAlongText({ ...pool, disks: [{ id: 'd', name: 'd' }] })).toBe(
    ', the 2 VMs and the disk in the bin with it',
  )
})

test('before the bin is emptied all is counted, with what belongs to it', () => {
  const some = (...names: string[]) => names.map((name) => ({ id: name, name }))
  expect(contentsText([item])).toBe('1 VM')
  expect(
    contentsText([
      { ...item, disks: some('a') },
      { ...item, kind: 'disk' },
      { ...item, kind: 'disk_snapshot' },
      { ...item, kind: 'vm_pool', vms: some('p-1', 'p-2'), disks: some('b', 'c') },
    ]),
  ).toBe('3 VMs, 4 disks, 1 disk snapshot, and 1 VM pool')
  expect(emptiedText(2, 2)).toEqual({ text: 'Deleted 2 objects for good', detail: null })
  expect(emptiedText(3, 1)).toEqual({
    text: 'Deleted 1 object for good',
    detail: '2 objects were restored or deleted in the meantime.',
  })
})

test('of many disks the first are named', () => {
  const disks = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ id: name, name }))
  expect(alongText({ ...item, disks })).toBe('5 disks are in the bin with it: a, b, c and 2 more.')
})

test('a size is said as far as it is measured', () => {
  expect(sizeText({ bytes: 0 })).toBe('Not measured')
  expect(sizeText({ bytes: 1_000_000 })).toBe('Less than 0.1 GB')
  expect(sizeText({ bytes: 3 * 1024 ** 3 })).toBe('3 GB')
})

test('kinds begin a line', () => {
  expect([kindText('vm'), kindText('disk_snapshot')]).toEqual(['VM', 'Disk snapshot'])
})

test('what was deleted last comes first, and a search looks at names and kinds', () => {
  const older = {
    ...item,
    id: 'b',
    name: 'data',
    kind: 'disk' as const,
    deleted_at: '2026-11-19T10:00:00.000Z',
  }
  const same = { ...item, id: 'c' }
  expect(shownItems([older, item, same], '').map(({ id }) => id)).toEqual(['c', 'a', 'b'])
  expect(shownItems([older, item], ' DISK da').map(({ id }) => id)).toEqual(['b'])
  expect(shownItems([older, item], 'nothing')).toEqual([])
})
