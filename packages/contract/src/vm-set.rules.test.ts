import { expect, it } from 'vitest'
import { isSetUnderWay, replicasAllowed } from './vm-set.rules.ts'

const tooFew = 'Number of replicas must be at least 1'

it.each([
  [1, true],
  [20, true],
  [0, tooFew],
  [-1, tooFew],
  [1.5, tooFew],
  [Number.NaN, tooFew],
  [21, 'Number of replicas cannot be greater than 20'],
])('a set of %d replicas: %s', (replicas, allowed) => expect(replicasAllowed(replicas)).toBe(allowed))

it('a set is under way while it is created, in any letter case', () => {
  const statuses = ['creating', 'CREATING', 'active', 'error', '']
  expect(statuses.filter((status) => isSetUnderWay({ status }))).toEqual(['creating', 'CREATING'])
})
