import type { Activity } from '@slipway/contract'
import { describe, expect, test } from 'vitest'
import { foldRepeats, repeatsText } from './fold.ts'

const now = Date.parse('2026-11-21T12:00:00.000Z')
let lastId = 1000

/** Ids sort by age, and a log comes newest first. */
const entry = (minutesAgo: number, more: Partial<Activity> = {}): Activity => ({
  id: String(--lastId),
  at: new Date(now - minutesAgo * 60_000).toISOString(),
  kind: 'failure',
  action: 'vmPool.error',
  actor: null,
  object: { type: 'vm_pool', id: 'p', name: 'web' },
  project_id: 'x',
  message: 'Pool web needs attention',
  reason: 'No room for another VM.',
  ...more,
})
const running = (minutesAgo: number) =>
  entry(minutesAgo, { kind: 'change', action: 'vm.running', message: 'VM db is running', reason: null })
const shape = (entries: readonly Activity[]) =>
  foldRepeats(entries).map(({ entry, more }) => [entry.message, more.length])

describe('repeats', () => {
  test('within an hour are folded into the newest, also with other things between', () => {
    expect(shape([entry(0), entry(1), running(2), entry(3), entry(4), entry(5)])).toEqual([
      ['Pool web needs attention', 4],
      ['VM db is running', 0],
    ])
  })

  test('that are few stand by themselves', () => {
    expect(shape([entry(0), running(1), entry(2), entry(3)])).toEqual([
      ['Pool web needs attention', 0],
      ['VM db is running', 0],
      ['Pool web needs attention', 0],
      ['Pool web needs attention', 0],
    ])
  })

  test('of two hours are two folds', () => {
    const times = [0, 20, 40, 60, 61, 80, 100, 120]
    expect(shape(times.map((minutes) => entry(minutes)))).toEqual([
      ['Pool web needs attention', 3],
      ['Pool web needs attention', 3],
    ])
  })

  test('are told apart by their reason, and never made of what people did', () => {
    const reasons = ['a', 'b', 'c', 'd', 'e']
    expect(foldRepeats(reasons.map((reason, i) => entry(i, { reason })))).toHaveLength(5)
    const actor = { id: 'u', name: 'Ada' }
    expect(foldRepeats(reasons.map((_, i) => entry(i, { actor })))).toHaveLength(5)
  })

  test('of members with other names are folded as well', () => {
    const member = (name: string, minutesAgo: number) =>
      entry(minutesAgo, {
        object: { type: 'vm', id: name, name },
        message: `VM ${name} failed`,
        reason: `The image of ${name} is missing.`,
      })
    const folded = foldRepeats([
      member('web-4', 0),
      member('web-3', 1),
      member('web-2', 2),
      member('web-1', 3),
    ])
    expect(folded).toHaveLength(1)
    expect(folded[0] && repeatsText(folded[0], now)).toBe('3 more like this in the last hour')
  })

  test('lose nothing, and keep their key while new ones come', () => {
    const old = [entry(1), entry(2), entry(3), entry(4)]
    const before = foldRepeats(old)
    const after = foldRepeats([entry(0), ...old])
    expect(after.flatMap(({ entry, more }) => [entry, ...more])).toHaveLength(5)
    expect(after[0]?.key).toBe(before[0]?.key)
  })
})

test.each([
  [[0, 1, 2, 3, 4], '4 more times in the last hour'],
  [[50, 55, 58, 59, 60], '4 more times in the last hour'],
  [[50, 55, 58, 59, 61], '4 more times in the hour before'],
])('repeats %j minutes ago are counted as "%s"', (minutes, text) => {
  const [first, ...more] = minutes.map((ago) => entry(ago))
  expect(first && repeatsText({ entry: first, more }, now)).toBe(text)
})
