import { describe, expect, it } from 'vitest'
import { groupDisksProblem } from './vm-group.rules.ts'

const fine = { name: 'data', size: '10Gi' }

describe('the disks of a group', () => {
  it.each([
    [[], null],
    [[fine, fine], null],
    [[{ name: ' ', size: '' }], { index: 0, message: 'Please enter a name for disk #1' }],
    [[fine, { ...fine, size: ' ' }], { index: 1, message: 'Please enter a size for disk #2' }],
    [[fine, fine, { ...fine, size: 'much' }], { index: 2, message: 'Please enter a valid disk size' }],
    [
      [
        { ...fine, size: '1025' },
        { name: '', size: '' },
      ],
      { index: 0, message: 'Disk size cannot exceed 1024Gi' },
    ],
  ])('%j have the problem %j', (disks, problem) => expect(groupDisksProblem(disks)).toEqual(problem))
})
