import { expect, test } from 'vitest'
import {
  type DiskDraft,
  diskComplaints,
  emptyGroupForm,
  groupBody,
  inOrder,
  memberSize,
  newDiskDraft,
  together,
} from './group-form.ts'

const disk = (name: string, size = '10Gi'): DiskDraft => ({ ...newDiskDraft, name, size })

test('a new disk is blank, of 10Gi and no root disk', () => {
  expect(newDiskDraft).toEqual({
    type: 'new',
    name: '',
    size: '10Gi',
    source: 'EMPTY',
    image_url: '',
    snapshot_id: '',
    is_root: false,
  })
})

test.each([
  ['20', '20Gi'],
  ['20GB', '20Gi'],
  ['100MB', '1Gi'],
])('a disk of %s is sent as %s, with its name and source and nothing else', (typed, sent) => {
  const { disks } = groupBody({ ...emptyGroupForm, disks: [disk(' data ', typed)] })
  expect(disks).toEqual([{ name: 'data', size: sent, source: 'EMPTY' }])
})

test('VMs that are made of a snapshot keep their root disk and have no disks beside those in it', () => {
  const form = { ...emptyGroupForm, persistent: false, disks: [disk('data')] }
  expect(groupBody({ ...form, snapshotId: 's' })).toMatchObject({
    snapshot_id: 's',
    persistent: true,
    disks: [],
  })
  expect(groupBody(form)).not.toHaveProperty('snapshot_id')
})

test('root disks have a size only where one is entered, and none of those made of a snapshot', () => {
  const form = { ...emptyGroupForm, rootDisk: ' 30GB ' }
  expect(groupBody(form)).toMatchObject({ root_disk_gb: 30 })
  expect(groupBody(emptyGroupForm)).not.toHaveProperty('root_disk_gb')
  expect(groupBody({ ...form, snapshotId: 's' })).not.toHaveProperty('root_disk_gb')
})

test('processors and memory are sent only where they are entered, and none of those made of a snapshot', () => {
  const form = { ...emptyGroupForm, cpu: ' 4 ', memoryMb: '2048' }
  expect(groupBody(form)).toMatchObject({ cpu: 4, memory_mb: 2048 })
  expect(groupBody({ ...form, memoryMb: ' ' })).not.toHaveProperty('memory_mb')
  expect(groupBody({ ...form, cpu: '' })).not.toHaveProperty('cpu')
  for (const field of ['cpu', 'memory_mb'])
    expect(groupBody({ ...form, snapshotId: 's' })).not.toHaveProperty(field)
})

test('each VM has what is entered, else what the template has; one made of a snapshot is like its VM', () => {
  const template = { default_cpu: 1, default_memory_mb: 512 }
  const vm = { cpu: 8, memory_mb: 4096 }
  expect(memberSize(emptyGroupForm, template, undefined)).toEqual({ cpu: 1, memory_mb: 512 })
  const form = { ...emptyGroupForm, cpu: '4', memoryMb: 'much' }
  expect(memberSize(form, template, vm)).toEqual({ cpu: 4, memory_mb: 512 })
  expect(memberSize({ ...form, snapshotId: 's' }, template, vm)).toEqual(vm)
  expect(memberSize({ ...form, snapshotId: 's' }, template, undefined)).toEqual({ cpu: 1, memory_mb: 512 })
})

test('each field of a disk says what is wrong with it', () => {
  expect(diskComplaints(disk('data'))).toEqual({ name: undefined, size: undefined })
  expect(diskComplaints(disk(' ', ' '))).toEqual({
    name: 'Please enter a disk name',
    size: 'Please enter a disk size',
  })
  expect(diskComplaints(disk('data', 'much')).size).toBe('Please enter a valid disk size')
  expect(diskComplaints(disk('data', '2TB')).size).toBe('Disk size cannot exceed 1024Gi')
})

test('what VMs take together are their cores, their memory and the disks that have a size', () => {
  const size = { cpu: 2, memory_mb: 512 }
  expect(together(3, size, [disk('a', '20GB'), disk('b', '5'), disk('c', 'much')])).toEqual({
    cpu: '6 cores',
    memory: '1.5 GB',
    disks: '75Gi',
  })
  expect(together(1, size, [])).toEqual({ cpu: '2 cores', memory: '512 MB', disks: 'None' })
})

test('rules are told in the order of the specification, whatever order the contract has', () => {
  const fields = 'disks desired_size memory_mb max_size cpu template_id ssh_key_id name'.split(' ')
  const issues = fields.map((field) => ({ path: [field, 0], message: field }))
  expect(inOrder(issues, undefined, 'project').map(({ text }) => text)).toEqual(
    'name project ssh_key_id template_id cpu memory_mb max_size desired_size disks'.split(' '),
  )
  expect(inOrder([], 'p', 'project')).toEqual([])
})
