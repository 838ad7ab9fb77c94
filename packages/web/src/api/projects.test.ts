import { expect, test } from 'vitest'
import { selectedOf } from './projects.ts'

const projects = ['a', 'b', 'c'].map((id) => ({
  id,
  name: id,
  description: '',
  created_at: '',
  role: 'owner' as const,
  owner_name: '',
  delete_at: null,
}))
const idOf = (urlId: string | undefined, storedId: string | null) => selectedOf(projects, urlId, storedId)?.id

test('the project of the URL is selected, then the one chosen last, then the first', () => {
  expect(idOf('c', 'b')).toBe('c')
  expect(idOf(undefined, 'b')).toBe('b')
  expect(idOf(undefined, null)).toBe('a')
})

test('an unknown project in the URL or in the memory selects nothing by itself', () => {
  expect(idOf('gone', 'b')).toBe('b')
  expect(idOf('gone', 'gone too')).toBe('a')
  expect(selectedOf([], 'a', 'a')).toBeNull()
})
