import { expect, test } from 'vitest'
import { readListState } from '../../shell/list-state.ts'
import { activitySpec, filterOf, isFiltered } from './activity-filter.ts'

const read = (search: string) => filterOf(readListState(search, activitySpec))

test('a filter is kept in the URL of the page', () => {
  expect(read('?kind=failure&type=vm&by=system&object=v%2F1')).toEqual({
    kind: 'failure',
    object_type: 'vm',
    actor: 'system',
    object_id: 'v/1',
  })
})

test('what a URL asks for and nobody knows counts as nothing', () => {
  expect(isFiltered(read('?kind=party&type=spoon&by=cat&object='))).toBe(false)
  expect(isFiltered(read('?by=user'))).toBe(true)
})
