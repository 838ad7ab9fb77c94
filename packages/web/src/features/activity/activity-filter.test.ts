import { expect, test } from 'vitest'
import { isFiltered, readFilter, writeFilter } from './activity-filter.ts'

test('a filter is kept in the address of the page', () => {
  const filter = { kind: 'failure', object_type: 'vm', actor: 'system', object_id: 'v/1' } as const
  expect(readFilter(new URLSearchParams(writeFilter(filter)))).toEqual(filter)
  expect(writeFilter({})).toEqual({})
})

test('what an address asks for and nobody knows counts as nothing', () => {
  const filter = readFilter(new URLSearchParams('kind=party&type=spoon&by=cat&object='))
  expect(isFiltered(filter)).toBe(false)
  expect(isFiltered(readFilter(new URLSearchParams('by=user')))).toBe(true)
})
