import { describe, expect, test } from 'vitest'
import { countSnapshots, diskSnapshotFilter, matchesSnapshot, vmSnapshotFilter } from './snapshot-filter.ts'

const all = { search: '', status: 'all' }
const searches = ['upgrade', 'LEDGER', '01jd', 'schema', ' before  7 ', '']
const of = (words: readonly string[]) => words.map((status) => ({ status }))

describe('VM snapshots', () => {
  const words = ['ready', 'Completed', 'creating', 'processing', 'pending', 'deleting', 'failed', 'ERROR']
  const snapshot = {
    name: 'Before Upgrade',
    vm_name: 'ledger-1',
    vm_id: 'vm_01JD4Q',
    description: 'schema 7',
    status: 'ready',
  }
  const matches = (search: string) => matchesSnapshot(vmSnapshotFilter, snapshot, { ...all, search })

  test('each status word counts once, and deleting ones in the total only', () => {
    expect(countSnapshots(vmSnapshotFilter, of(words))).toEqual({
      total: 8,
      ready: 2,
      creating: 3,
      failed: 2,
    })
  })

  test.each(searches)('the search %j finds a VM snapshot', (search) => expect(matches(search)).toBe(true))

  test('a search with a word that occurs nowhere finds no VM snapshot', () => {
    expect(matches('upgrade looms')).toBe(false)
    expect(matches('ready')).toBe(false)
  })

  test('the filter tells failed from broken ones', () => {
    const found = (choice: string) =>
      words.filter((status) =>
        matchesSnapshot(vmSnapshotFilter, { ...snapshot, status }, { ...all, status: choice }),
      )
    expect(found('ready')).toEqual(['ready', 'Completed'])
    expect(found('creating')).toEqual(['creating', 'processing', 'pending'])
    expect(found('failed')).toEqual(['failed'])
    expect(found('error')).toEqual(['ERROR'])
    expect(found('all')).toEqual(words)
  })
})

describe('disk snapshots', () => {
  const words = ['READY', 'ready', 'Creating', 'failed', 'Error']
  const snapshot = {
    name: 'Before Upgrade',
    disk_id: 'disk_01JD4Q',
    disk_name: 'ledger',
    description: 'schema 7',
    status: 'ready',
  }
  const matches = (search: string) => matchesSnapshot(diskSnapshotFilter, snapshot, { ...all, search })

  test('words are read without case, and an error counts as failed', () => {
    expect(countSnapshots(diskSnapshotFilter, of(words))).toEqual({
      total: 5,
      ready: 2,
      creating: 1,
      failed: 2,
    })
  })

  test.each(searches)('the search %j finds a disk snapshot', (search) => expect(matches(search)).toBe(true))

  test('a search with a word that occurs nowhere finds no disk snapshot', () => {
    expect(matches('upgrade looms')).toBe(false)
  })

  test('the filter finds what the numbers count', () => {
    const found = (choice: string) =>
      words.filter((status) =>
        matchesSnapshot(diskSnapshotFilter, { ...snapshot, status }, { ...all, status: choice }),
      )
    expect(found('all')).toEqual(words)
    expect(found('ready')).toEqual(['READY', 'ready'])
    expect(found('creating')).toEqual(['Creating'])
    expect(found('failed')).toEqual(['failed', 'Error'])
  })
})
