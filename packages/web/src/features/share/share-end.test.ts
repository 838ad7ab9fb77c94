import { expect, test } from 'vitest'
import { endOf, localTime } from './share-end.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test.each([
  ['never', null],
  ['hour', '2026-03-01T13:00:00.000Z'],
  ['day', '2026-03-02T12:00:00.000Z'],
  ['week', '2026-03-08T12:00:00.000Z'],
] as const)('a share with the end %j ends at %s', (choice, expected) => {
  expect(endOf({ choice, own: '' }, '2026-04-01T00:00:00.000Z', now)).toBe(expected)
})

test.each([null, '2026-04-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'])(
  'an end of %j stays when nothing else is chosen',
  (same) => {
    expect(endOf({ choice: 'same', own: '2026-05-01T00:00' }, same, now)).toBe(same)
  },
)

// A change of the clocks in many time zones lies between the first two.
test.each(['2026-03-01T12:01:00.000Z', '2026-07-01T23:59:00.000Z', '2030-12-31T00:00:00.000Z'])(
  'a share ends at the time that was entered, %s',
  (time) => {
    expect(endOf({ choice: 'own', own: localTime(time) }, null, now)).toBe(time)
  },
)

test.each([
  ['nothing', ''],
  ['half a time', '2026-05T'],
  ['a year of five digits', '12026-05-01T00:00'],
  ['the present', localTime('2026-03-01T12:00:00.000Z')],
  ['the past', localTime('2026-03-01T11:59:00.000Z')],
])('%s is no time to end at', (_, own) => {
  expect(endOf({ choice: 'own', own }, null, now)).toBeUndefined()
})
