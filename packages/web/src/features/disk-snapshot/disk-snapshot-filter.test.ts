import { expect, test } from 'vitest'
import { countDiskSnapshots, matchesDiskSnapshot } from './disk-snapshot-filter.ts'

const words = ['READY', 'ready', 'Creating', 'failed', 'Error']

test('words are read without case, and an error counts as failed', () => {
  expect(countDiskSnapshots(words.map((status) => ({ status })))).toEqual({
    total: 5,
    ready: 2,
    creating: 1,
    failed: 2,
  })
})

const snapshot = {
  name: 'Before Upgrade',
  disk_id: 'disk_01JD4Q',
  disk_name: 'ledger',
  description: 'schema 7',
  status: 'ready',
}

test.each(['upgrade', '01jd', 'schema', 'LEDGER', ' before  7 ', ''])(
  'the search %j finds a snapshot',
  (search) => {
    expect(matchesDiskSnapshot(snapshot, search, 'all')).toBe(true)
  },
)

test('a search with a word that occurs nowhere finds nothing', () => {
  expect(matchesDiskSnapshot(snapshot, 'upgrade looms', 'all')).toBe(false)
})

test('the filter finds what the numbers count', () => {
  const found = (choice: string) =>
    words.filter((status) => matchesDiskSnapshot({ ...snapshot, status }, '', choice))
  expect(found('all')).toEqual(words)
  expect(found('ready')).toEqual(['READY', 'ready'])
  expect(found('creating')).toEqual(['Creating'])
  expect(found('failed')).toEqual(['failed', 'Error'])
})
