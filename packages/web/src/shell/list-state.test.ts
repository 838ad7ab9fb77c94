import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTyped, noListState, readListState, writeListState } from './list-state.ts'

const spec = { search: '', status: ['all', 'running', 'stopped'] } as const

test('a URL without a word has the defaults', () => {
  expect(readListState('', spec)).toEqual({ search: '', status: 'all' })
  expect(noListState(spec)).toEqual({ search: '', status: 'all' })
})

test('a choice that there is not counts as not made', () => {
  expect(readListState('?status=dancing&search=web', spec)).toEqual({ search: 'web', status: 'all' })
})

test('defaults leave no trace in the URL, and what is not of the list stays', () => {
  const search = writeListState('?dialog=ssh&of=1', spec, { search: 'a b', status: 'running' })
  expect(search).toBe('?dialog=ssh&of=1&search=a+b&status=running')
  expect(writeListState(search, spec, { search: '', status: 'all' })).toBe('?dialog=ssh&of=1')
  expect(writeListState('?search=web', spec, { search: '' })).toBe('')
})

test('what was not changed stays as it is', () => {
  expect(writeListState('?search=web', spec, { status: 'stopped' })).toBe('?search=web&status=stopped')
})

test('whatever is typed is read again as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(...spec.status), (search, status) => {
      expect(readListState(writeListState('', spec, { search, status }), spec)).toEqual({ search, status })
    }),
  )
})

test('only a change of texts is typed', () => {
  expect(isTyped(spec, { search: 'a' })).toBe(true)
  expect(isTyped(spec, { search: '', status: 'all' })).toBe(false)
})
