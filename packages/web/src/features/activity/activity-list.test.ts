import type { Activity, ActivityPage } from '@slipway/contract'
import { describe, expect, test } from 'vitest'
import { aroundName, byDay, freshOf, withNewest, withOlder } from './activity-list.ts'

const entry = (id: string, at = '2026-11-21T12:00:00.000Z'): Activity => ({
  id,
  at,
  kind: 'change',
  action: 'vm.running',
  actor: null,
  object: { type: 'vm', id: 'v', name: 'web-1' },
  project_id: 'p',
  message: 'VM web-1 is running',
  reason: null,
})
const page = (ids: string, next: string | null): ActivityPage => ({
  entries: [...ids].map((id) => entry(id)),
  next,
})
const idsOf = ({ entries, next }: ActivityPage) => [entries.map(({ id }) => id).join(''), next]

describe('what is shown of a log', () => {
  test('gets the newest entries on top, none of them twice', () => {
    const shown = withNewest(page('543', '3'), page('7654', '4'))
    expect(idsOf(shown)).toEqual(['76543', '3'])
    expect(withNewest(shown, page('7654', '4'))).toBe(shown)
    expect(idsOf(withNewest(null, page('21', null)))).toEqual(['21', null])
    expect(idsOf(withNewest(page('', null), page('1', null)))).toEqual(['1', null])
  })

  test('begins anew where more happened than one page holds', () => {
    expect(freshOf(page('32', null), page('987', '7'))).toMatchObject({ gap: true })
    expect(idsOf(withNewest(page('32', null), page('987', '7')))).toEqual(['987', '7'])
    expect(freshOf(page('32', null), page('43', '3'))).toMatchObject({ entries: [{ id: '4' }], gap: false })
  })

  test('goes on below with older ones, none of them twice', () => {
    expect(idsOf(withOlder(page('54', '4'), page('432', '2')))).toEqual(['5432', '2'])
    expect(idsOf(withOlder(page('54', '4'), page('3', null)))).toEqual(['543', null])
  })
})

test('entries stand by the days of the reader, newest first', () => {
  const now = new Date(2026, 10, 21, 0, 30)
  const at = (...moment: [number, number, number]) => new Date(2026, ...moment).toISOString()
  const days = byDay(
    [
      entry('4', at(10, 21, 0)),
      entry('3', at(10, 20, 23)),
      entry('2', at(10, 20, 1)),
      entry('1', at(9, 31, 12)),
    ],
    now,
  )
  expect(days.map(({ label, entries }) => [label, entries.length])).toEqual([
    ['Today', 1],
    ['Yesterday', 2],
    [expect.stringContaining('2026'), 1],
  ])
})

test('a sentence is split around the name of its object', () => {
  const split = (message: string, name: string) =>
    aroundName({ message, object: { type: 'vm', id: 'v', name } })
  expect(split('Asked VM web-1 to start', 'web-1')).toEqual({
    before: 'Asked VM ',
    name: 'web-1',
    after: ' to start',
  })
  expect(split('Signed in', 'Ada')).toEqual({ before: 'Signed in', name: null, after: '' })
  expect(split('Signed in', '')).toEqual({ before: 'Signed in', name: null, after: '' })
})
