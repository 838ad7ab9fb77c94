import { expect, test } from 'vitest'
import { matchesGroup } from './group-search.ts'

const group = {
  name: 'Web',
  description: 'Shop front',
  template_name: 'Node.js with React',
  ssh_key_name: 'laptop',
  status: 'scaling',
}

test.each(['', 'web', 'FRONT', 'react', 'lap', 'scaling', 'web node'])(
  'the search "%s" finds the group',
  (search) => {
    expect(matchesGroup(group, search)).toBe(true)
  },
)

test.each(['rust', 'web rust'])('the search "%s" does not', (search) => {
  expect(matchesGroup(group, search)).toBe(false)
})
