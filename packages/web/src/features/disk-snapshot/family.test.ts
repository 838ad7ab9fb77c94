import { expect, test } from 'vitest'
import { familyOf } from './family.ts'

const full = { id: 'a', parent_id: null }
const second = { id: 'b', parent_id: 'a' }
const third = { id: 'c', parent_id: 'a' }
const orphan = { id: 'd', parent_id: 'gone' }
const relatives = familyOf([full, second, third, orphan])

test('a snapshot knows what it builds upon, and what builds upon it', () => {
  expect(relatives(full)).toEqual({ parent: undefined, heirs: [second, third] })
  expect(relatives(second)).toEqual({ parent: full, heirs: [] })
})

test('a parent that is not in the list is unknown', () => {
  expect(relatives(orphan)).toEqual({ parent: undefined, heirs: [] })
})
