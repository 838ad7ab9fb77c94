import { expect, test } from 'vitest'
import { countVmSnapshots, matchesVmSnapshot } from './vm-snapshot-filter.ts'

const words = ['ready', 'Completed', 'creating', 'processing', 'pending', 'deleting', 'failed', 'ERROR']

test('each status word counts once, and deleting ones in the total only', () => {
  expect(countVmSnapshots(words.map((status) => ({ status: status as 'ready' })))).toEqual({
    total: 8,
    ready: 2,
    creating: 3,
    failed: 2,
  })
})

const snapshot = {
  name: 'Before Upgrade',
  vm_name: 'ledger-1',
  vm_id: 'vm_01JD4Q',
  description: 'schema 7',
  status: 'ready' as const,
}

test.each(['upgrade', 'LEDGER', '01jd', 'schema', ' before  7 ', ''])(
  'the search %j finds a snapshot',
  (search) => {
    expect(matchesVmSnapshot(snapshot, search, 'all')).toBe(true)
  },
)

test('a search with a word that occurs nowhere finds nothing', () => {
  expect(matchesVmSnapshot(snapshot, 'upgrade looms', 'all')).toBe(false)
  expect(matchesVmSnapshot(snapshot, 'ready', 'all')).toBe(false)
})

test('the filter tells failed from broken ones', () => {
  const found = (status: string, choice: string) =>
    matchesVmSnapshot({ ...snapshot, status: status as 'ready' }, '', choice)
  expect(words.filter((word) => found(word, 'ready'))).toEqual(['ready', 'Completed'])
  expect(words.filter((word) => found(word, 'creating'))).toEqual(['creating', 'processing', 'pending'])
  expect(words.filter((word) => found(word, 'failed'))).toEqual(['failed'])
  expect(words.filter((word) => found(word, 'error'))).toEqual(['ERROR'])
  expect(words.filter((word) => found(word, 'all'))).toEqual(words)
})
