import { expect, test } from 'vitest'
import { cpuSummary, loadText, sizeSummary } from './group-samples.ts'

test('the drawing of a size is told in a sentence', () => {
  const sample = (current_size: number, desired_size: number) => ({ current_size, desired_size })
  expect(sizeSummary([sample(2, 2), sample(1, 4), sample(3, 4)])).toBe(
    'Size over the last hour: from 1 to 3 VMs, now 3, desired 4.',
  )
  expect(sizeSummary([])).toBe('No sizes are known yet.')
})

test('the drawing of a load is told in a sentence, what was not known left out', () => {
  const told = (...loads: (number | null)[]) => cpuSummary(loads.map((cpu) => ({ cpu })))
  expect(told(12.4, null, 81.5)).toBe('CPU load over the last hour: from 12% to 82%, now 82%.')
  expect(told(12.4, null)).toBe('CPU load over the last hour: from 12% to 12%, now unknown.')
  expect(told(null)).toBe('No CPU load is known yet.')
})

test('the load of now is told in whole percent, or that it is not known', () => {
  expect(loadText([{ cpu: 3 }, { cpu: 81.5 }])).toBe('82%')
  expect(loadText([{ cpu: 3 }, { cpu: null }])).toBe('Unknown')
  expect(loadText(undefined)).toBe('Unknown')
  // Not `Unknown` beside a card that says 2 %.
  expect(loadText(undefined, 2.4)).toBe('2%')
  expect(loadText([{ cpu: 3 }, { cpu: null }], 2.4)).toBe('2%')
  expect(loadText([{ cpu: 81.5 }], 2.4)).toBe('82%')
})
