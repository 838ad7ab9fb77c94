import { expect, it } from 'vitest'
import { isFoundIn, searchWords } from './search.rules.ts'

it('the words of a search are folded, and what is between them is left out', () => {
  expect(searchWords('  Shop \tÉCOLE\n')).toEqual(['shop', 'ecole'])
  expect(searchWords('  ')).toEqual([])
})

it('a word is found within one text, and not across two', () => {
  expect(isFoundIn('ab', 'a', 'b')).toBe(false)
  expect(isFoundIn('null', 'a', null)).toBe(false)
})
