import { scalingDefaults } from '@slipway/contract'
import { expect, test } from 'vitest'
import { differenceText, policyText } from './pool-words.ts'

test.each([
  [3, 3, null],
  [2, 3, '1 VM to come'],
  [0, 4, '4 VMs to come'],
  [3, 2, '1 VM to go'],
  [5, 2, '3 VMs to go'],
])('%i of %i VMs is told as %j', (current_size, desired_size, text) => {
  expect(differenceText({ current_size, desired_size })).toBe(text)
})

test('the policy of the autoscaler is told in words, and a minimum of 0 keeps one VM', () => {
  expect(policyText(scalingDefaults, { min_size: 0, max_size: 6 })).toBe(
    'Adds a VM when the mean CPU load stays above 75% for 60 s, and removes one when it stays below 20% for 5 min. ' +
      'It looks every 15 s, waits 2 min after a step, and never leaves 1 to 6 VMs.',
  )
})
