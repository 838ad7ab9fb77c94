import { expect, it } from 'vitest'
import { countsText } from './goes-with-groups.ts'

it.each([
  [[], [], 'no VMs and no disks'],
  [['a'], [{ vm_id: 'a', deleted_with_vm: true }], '1 VM and 1 disk'],
  [
    ['a', 'b'],
    [
      { vm_id: 'a', deleted_with_vm: true },
      { vm_id: 'b', deleted_with_vm: true },
      { vm_id: 'b', deleted_with_vm: false },
      { vm_id: 'of another', deleted_with_vm: true },
      { vm_id: null, deleted_with_vm: false },
    ],
    '2 VMs and 2 disks',
  ],
])('counts the VMs %j and the disks that go with them', (ids, disks, counted) => {
  expect(
    countsText(
      1,
      ids.map((id) => ({ id })),
      disks,
    ),
  ).toBe(`Now it has ${counted} that will be deleted with it.`)
})

it('counts those of several together', () => {
  const vms = [{ id: 'a' }, { id: 'b' }]
  const disks = [{ vm_id: 'b', deleted_with_vm: true }]
  expect(countsText(3, vms, disks)).toBe('Now they have 2 VMs and 1 disk that will be deleted with them.')
})
