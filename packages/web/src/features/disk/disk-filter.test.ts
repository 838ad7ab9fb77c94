import type { Disk } from '@slipway/contract'
import { describe, expect, test } from 'vitest'
import { isActive, matchesDisk, noFilter, summarizeDisks } from './disk-filter.ts'

type Sample = Pick<Disk, 'name' | 'source' | 'vm_id' | 'vm_name'> & { status: string }

const disk = (more: Partial<Sample> = {}) =>
  // Other servers send words that are not among ours.
  ({ name: 'data1', status: 'available', source: 'blank', vm_id: null, vm_name: null, ...more }) as Disk

describe('a search', () => {
  const onVm = disk({ name: 'Ledger Data', source: 'image', vm_id: 'vm-42', vm_name: 'Checkout' })
  test.each(['ledger', 'DATA led', 'image', 'vm-42', 'checkout', '  ', 'ledger vm-42'])(
    'finds by %j',
    (search) => {
      expect(matchesDisk(onVm, { ...noFilter, search })).toBe(true)
    },
  )
  test.each(['ledgers', 'snapshot', 'ledger vm-43'])('does not find by %j', (search) => {
    expect(matchesDisk(onVm, { ...noFilter, search })).toBe(false)
  })
})

test('the filter of the status reads foreign words, and counts broken disks as failed', () => {
  const found = (status: string, one: Disk) => matchesDisk(one, { ...noFilter, status })
  expect(found('available', disk({ status: 'READY' }))).toBe(true)
  expect(found('attached', disk({ status: 'bound', vm_id: 'v' }))).toBe(true)
  expect(found('available', disk({ status: 'bound', vm_id: 'v' }))).toBe(false)
  expect(found('failed', disk({ status: 'error' }))).toBe(true)
  expect(found('failed', disk({ status: 'failed' }))).toBe(true)
  expect(found('creating', disk({ status: 'deleting' }))).toBe(false)
  expect(found('all', disk({ status: 'deleting' }))).toBe(true)
})

test('search, status and source must all fit', () => {
  const filter = { search: 'data', status: 'available', source: 'blank' }
  expect(matchesDisk(disk(), filter)).toBe(true)
  expect(matchesDisk(disk(), { ...filter, source: 'image' })).toBe(false)
  expect(matchesDisk(disk(), { ...filter, status: 'attached' })).toBe(false)
  expect(matchesDisk(disk(), { ...filter, search: 'other' })).toBe(false)
})

test('a search of nothing but spaces is none', () => {
  expect(isActive({ ...noFilter, search: '  ' })).toBe(false)
  expect(isActive({ ...noFilter, search: 'a' })).toBe(true)
  expect(isActive({ ...noFilter, status: 'failed' })).toBe(true)
  expect(isActive({ ...noFilter, source: 'image' })).toBe(true)
})

test('disks are counted by status, broken ones as failed and those on their way out in the total only', () => {
  const words = ['available', 'ready', 'attached', 'creating', 'deleting', 'failed', 'error']
  expect(summarizeDisks(words.map((status) => disk({ status })))).toEqual({
    total: 7,
    available: 2,
    attached: 1,
    creating: 1,
    failed: 2,
  })
})
