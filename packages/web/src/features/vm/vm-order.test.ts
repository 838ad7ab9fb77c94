import type { Vm } from '@slipway/contract'
import { expect, test } from 'vitest'
import { keyOfSort, sortAfter, sortKeys, sortVms, viewSpec } from './vm-order.ts'

// Only what lists are ordered by.
const vm = (name: string, more: Partial<Vm> = {}) =>
  ({ name, status: 'running', template_name: 'Rust', cpu: 1, memory_mb: 512, created_at: '', ...more }) as Vm
const names = (vms: readonly Vm[]) => vms.map(({ name }) => name)

test('names are ordered as people read them', () => {
  const vms = ['web-10', 'École', 'web-2', 'Zebra', 'ecole-2'].map((name) => vm(name))
  expect(names(sortVms(vms, 'name'))).toEqual(['École', 'ecole-2', 'web-2', 'web-10', 'Zebra'])
  expect(names(sortVms(vms, '-name'))).toEqual(['Zebra', 'web-10', 'web-2', 'ecole-2', 'École'])
  expect(sortVms(vms, 'created')).toBe(vms)
})

test('what is alike keeps its order, and the list that was given stays as it is', () => {
  const vms = [vm('a', { cpu: 2 }), vm('b'), vm('c', { cpu: 2 }), vm('d', { cpu: 16 })]
  expect(names(sortVms(vms, 'cpu'))).toEqual(['b', 'a', 'c', 'd'])
  expect(names(sortVms(vms, '-cpu'))).toEqual(['d', 'a', 'c', 'b'])
  expect(names(vms)).toEqual(['a', 'b', 'c', 'd'])
})

test('every column goes both ways, and a second click turns it round', () => {
  expect(viewSpec.sort).toEqual(sortKeys.flatMap((key) => [key, `-${key}`]))
  expect(sortAfter('created', 'name')).toBe('name')
  expect(sortAfter('name', 'name')).toBe('-name')
  expect(sortAfter('-name', 'name')).toBe('name')
  expect(keyOfSort('-memory')).toBe('memory')
})
