import { startScriptStates } from '@slipway/contract'
import { expect, test } from 'vitest'
import { lookOf, sizeOf } from './start-script-words.ts'

test('every state has a name of its own', () => {
  const labels = startScriptStates.filter((state) => state !== 'none').map((state) => lookOf(state).label)
  expect(new Set(labels).size).toBe(labels.length)
})

test.each([
  ['', '0 bytes of 64 kB'],
  ['a', '1 byte of 64 kB'],
  ['é', '2 bytes of 64 kB'],
  ['x'.repeat(65_536), '65,536 bytes of 64 kB'],
])('the size of %.5j', (script, size) => {
  expect(sizeOf(script)).toBe(size)
})
