import { describe, expect, it } from 'vitest'
import { facts, sharedFacts } from './clones.ts'
import { jump, offBy } from './cycles.ts'
import { gap } from './tcp-session.ts'
import { lostCount } from './undo.ts'

const names = Object.keys(facts)
const clone = (mark: string) => names.map((name) => `${name} of ${mark}`)

describe('Clones', () => {
  it('may have nothing in common', () => {
    expect(sharedFacts([clone('a'), clone('b'), clone('c')])).toEqual([])
  })

  it.each(names)('are found out that have the same %s', (name) => {
    const other = clone('b').map((value, at) => (names[at] === name ? `${name} of a` : value))
    expect(sharedFacts([clone('a'), other])).toEqual([`${name}: ${name} of a more than once`])
  })

  it('are found out that tell nothing', () => {
    expect(sharedFacts([clone('a'), clone('b').slice(0, -1)])).toEqual([`${names.at(-1)}: a VM tells none`])
  })
})

describe('The clock of a guest that stood still', () => {
  const at = (up: number, host: number) => ({ up, from: host, to: host + 0.5 })

  it.each([
    ['goes on where it was', at(100, 1000), at(103, 1013), 10, null],
    ['may be slower than the host', at(100, 1000), at(100.1, 1020), 10, null],
    ['went back', at(100, 1000), at(99, 1013), 0, /went back by 1.0 s/],
    ['has jumped over the pause', at(100, 1000), at(113, 1013), 10, /went 13.0 s in/],
  ] as const)('%s', (_, before, after, pausedS, expected) => {
    const found = jump(before, after, pausedS)
    if (expected === null) expect(found).toBeNull()
    else expect(found).toMatch(expected)
  })
})

it.each([
  [1000, 0],
  [1009.5, 0],
  [997, -3],
  [1012, 2],
])('a time of %i that was read from 1000 to 1010 is off by %i s', (time, off) => {
  expect(offBy(time, { from: 1000, to: 1010 })).toBe(off)
})

it.each([
  [[], null],
  [['1', '2', '3'], null],
  [['1', '2', '4'], 'After 2 came 4'],
  [['2'], 'After 0 came 2'],
])('numbers that came back as %j over TCP have %s wrong', (numbers, expected) => {
  expect(gap(numbers)).toBe(expected)
})

it.each([
  ['a', 8, null],
  ['a', 7, null],
  ['a', 6, 'counts at 6 and did at 7'],
  ['a', Number.NaN, 'counts at NaN and did at 7'],
  ['b', 8, 'has booted'],
])('a guest that came back with boot id %s and count %d has %s wrong', (boot, count, expected) => {
  expect(lostCount({ boot: 'a', count: 7 }, { boot, count })).toBe(expected)
})
