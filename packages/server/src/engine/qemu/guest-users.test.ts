import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { covers, userOf } from './guest-users.ts'

describe('The users of guests', () => {
  const users = { first: 1_879_048_192, count: 268_435_455 }

  test('are always the same for a machine, of the range, and differ', () => {
    const ids = Array.from({ length: 500 }, () => randomUUID())
    const chosen = ids.map((id) => userOf(users, id))
    expect(ids.map((id) => userOf(users, id))).toEqual(chosen)
    expect(new Set(chosen).size).toBeGreaterThan(497)
    expect(Math.min(...chosen)).toBeGreaterThanOrEqual(users.first)
    expect(Math.max(...chosen)).toBeLessThan(users.first + users.count)
  })

  test('are one where there are no more', () => {
    expect(userOf({ first: 997, count: 1 }, randomUUID())).toBe(997)
  })

  test.each([
    ['of a host', '         0          0 4294967295\n', true],
    ['of a container with few ids', '         0     100000      65536\n', false],
    ['of a namespace with one id', '         0       1000          1\n', false],
    ['that ends too early', '0 0 2147483646\n', false],
    ['that just reaches', '0 0 2147483647\n', true],
    ['with two parts', '0 100000 65536\n1879048192 300000000 268435455\n', true],
    ['without a line', '', false],
  ])('are looked for in a map %s', (_, map, there) => {
    expect(covers(map, users)).toBe(there)
  })
})
