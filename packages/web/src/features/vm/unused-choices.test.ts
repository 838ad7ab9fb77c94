import { expect, test } from 'vitest'
import { choicesOf } from './unused-choices.ts'

const labels = (minutes: number | null) => choicesOf(minutes).map(({ label }) => label)

test('offers the usual times, and what was chosen by other means', () => {
  expect(labels(null)).toEqual([
    'Keep running',
    'Suspend after 15 minutes',
    'Suspend after 30 minutes',
    'Suspend after 1 hour',
    'Suspend after 2 hours',
    'Suspend after 4 hours',
    'Suspend after 8 hours',
    'Suspend after 24 hours',
  ])
  expect(labels(60)).toEqual(labels(null))
  expect(labels(1)[1]).toBe('Suspend after 1 minute')
  expect(labels(90)[4]).toBe('Suspend after 90 minutes')
})
