import { describe, expect, it, test } from 'vitest'
import {
  canDeleteDiskIn,
  diskAllowedBy,
  diskCan,
  diskSources,
  diskStateOf,
  diskStatuses,
  diskTexts,
  formatDiskSize,
  isDiskUnderWay,
  isFailedDisk,
  sizeGbOf,
  tooSmall,
} from './disk.rules.ts'

const disk = (status: string, vm_id: string | null = null) => ({ name: 'data1', status, vm_id })

describe('the size of a disk as it is shown', () => {
  it.each([
    ['10Gi', '10Gi'],
    ['512Mi', '512Mi'],
    ['10', '10Gi'],
    [10, '10Gi'],
    [1023, '1023Gi'],
    ['1024', '1Ki'],
    [2048, '2Ki'],
    [1_048_575, '1024Ki'],
    [1_048_576, '1Mi'],
    [5_242_880, '5Mi'],
    [1_073_741_823, '1024Mi'],
    [1_073_741_824, '1Gi'],
    [10_737_418_240, '10Gi'],
    ['', ''],
    [' ', ''],
    [' large ', 'large'],
  ])('%j is %s', (size, shown) => {
    expect(formatDiskSize(size)).toBe(shown)
  })
})

test('the size in Gi is 10 where it is missing or cannot be read', () => {
  expect([null, undefined, '', 'large', '512Mi', '20Gi', 20].map(sizeGbOf)).toEqual([
    10, 10, 10, 10, 1, 20, 20,
  ])
})

test('eight words of the status are understood, in any letter case', () => {
  expect(['Ready', 'BOUND'].map((word) => diskStateOf(disk(word)))).toEqual(['available', 'available'])
  expect(['ready', 'bound'].map((word) => diskStateOf(disk(word, 'v')))).toEqual(['attached', 'attached'])
  for (const word of [...diskStatuses, 'resizing']) expect(diskStateOf(disk(word.toUpperCase()))).toBe(word)
})

test('a disk is under way while it is made or deleted, and failed when it never came or broke', () => {
  const words = [...diskStatuses, 'ready', 'bound']
  expect(words.filter((word) => isDiskUnderWay(disk(word)))).toEqual(['creating', 'deleting'])
  expect(words.filter((word) => isFailedDisk(disk(word)))).toEqual(['failed', 'error'])
})

test('a refused size comes with the least one', () => {
  expect(tooSmall('10Gi')).toBe('Disks can only be enlarged. Enter at least 10Gi.')
})

test.each([
  ['creating', null, []],
  ['available', null, ['delete', 'attach', 'download', 'createVm', 'grow', 'snapshot']],
  ['ready', null, ['delete', 'attach', 'download', 'createVm', 'grow', 'snapshot']],
  ['attached', 'v', ['detach', 'grow', 'snapshot']],
  ['bound', 'v', ['detach', 'grow', 'snapshot']],
  // Nobody says which VM it is.
  ['attached', null, ['grow', 'snapshot']],
  ['failed', null, ['delete']],
  ['error', null, ['delete']],
  ['error', 'v', ['detach']],
] as const)('a disk that is %s, on the VM %j, can be asked for %j', (status, vmId, allowed) => {
  const asked = Object.entries(diskCan).filter(([, may]) => may(disk(status, vmId)) === true)
  expect(asked.map(([action]) => action)).toEqual(allowed)
})

test('a disk that cannot be asked for something says why', () => {
  const attached = [disk('attached'), disk('attached', 'v'), disk('available', 'v')]
  for (const one of attached) expect(diskCan.download(one)).toBe(diskTexts.downloadAttached)
  for (const one of attached) expect(diskCan.delete(one)).toBe(diskTexts.attached)
  const coming = disk('creating')
  expect(diskCan.delete(coming)).toBe(diskTexts.beingCreated)
  expect(diskCan.detach(coming)).toBe(diskTexts.notAttached)
  expect(diskCan.grow(coming)).toBe(diskTexts.notGrowable)
  expect(diskCan.snapshot(coming)).toBe('Disk must be available or attached to create a snapshot')
  for (const action of ['attach', 'download', 'createVm'] as const)
    expect(diskCan[action](coming)).toBe('Disk "data1" is not available')
})

test('a disk is made from one of four things', () => {
  expect(Object.keys(diskSources)).toEqual(['EMPTY', 'HTTP', 'SNAPSHOT', 'REGISTRY'])
})

test('a VM takes a disk or a larger one while it runs or is stopped, and gives one back also when it is broken', () => {
  const words = ['pending', 'provisioning', 'running', 'suspended', 'stopping', 'stopped', 'failed', 'error']
  const by = (rule: keyof typeof diskAllowedBy) =>
    words.filter((status) => diskAllowedBy[rule]({ status: status.toUpperCase() }) === true)
  expect(by('attach')).toEqual(['running', 'stopped'])
  expect(by('grow')).toEqual(['running', 'stopped'])
  expect(by('detach')).toEqual(['running', 'stopped', 'failed', 'error'])
  expect(diskAllowedBy.detach({ status: 'Starting' })).toBe(
    'Disk cannot be detached while its VM is starting',
  )
})

test('a disk is deleted only within a selected project', () => {
  expect(canDeleteDiskIn(null)).toBe('No project selected')
  expect(canDeleteDiskIn({ id: 'p' })).toBe(true)
})
