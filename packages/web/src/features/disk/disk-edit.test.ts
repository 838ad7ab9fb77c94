import type { Disk } from '@slipway/contract'
import { expect, it } from 'vitest'
import { changesIn, fieldsOf, moreGi } from './disk-edit.ts'

const disk = {
  name: 'data',
  description: 'mine',
  size: '10Gi',
  size_gb: 10,
  next_size_gb: null,
} as unknown as Disk // the fields that the form shows
const form = fieldsOf(disk)

it('names what differs, and nothing that only looks different', () => {
  expect(changesIn(disk, form)).toBeNull()
  expect(changesIn(disk, { ...form, name: ' data ', size: '10GB' })).toBeNull()
  expect(changesIn(disk, { name: 'd', description: '', size: '20' })).toEqual({
    body: { name: 'd', description: '', size: '20Gi' },
  })
})

it('says what is wrong with a size', () => {
  expect(changesIn(disk, { ...form, size: '9Gi' })).toEqual({
    broken: 'Disks can only be enlarged. Enter at least 10Gi.',
  })
  expect(changesIn(disk, { ...form, size: 'big' })).toEqual({ broken: 'Please enter a valid disk size' })
  expect(changesIn(disk, { ...form, name: ' ' })).toEqual({ broken: 'Please enter a disk name' })
})

it('shows the size that is to come, which the size that the disk has takes back', () => {
  const growing = { ...disk, next_size_gb: 20 }
  expect(fieldsOf(growing).size).toBe('20Gi')
  expect(changesIn(growing, { ...form, size: '10Gi' })).toEqual({ body: { size: '10Gi' } })
  expect([moreGi(growing, { size: '25Gi' }), moreGi(growing, {})]).toEqual([15, 0])
})
