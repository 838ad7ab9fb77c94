import { isTransitional } from '@slipway/contract'
import { expect, test } from 'vitest'
import { settledText, statusesOf } from './settled-text.ts'

const vm = (id: string, status: string) => ({ id, name: `vm-${id}`, status })
const said = (before: ReturnType<typeof vm>[], after: ReturnType<typeof vm>[]) =>
  settledText(statusesOf(before), after, { plural: 'VMs', isUnderWay: isTransitional })

test('a VM that came to rest is told by name', () => {
  expect(said([vm('a', 'starting'), vm('b', 'running')], [vm('a', 'running'), vm('b', 'running')])).toBe(
    'vm-a is running',
  )
  expect(said([vm('a', 'running')], [vm('a', 'error')])).toBe('vm-a is in error')
})

test('steps on the way, new VMs and deleted ones are not told', () => {
  expect(said([vm('a', 'pending')], [vm('a', 'creating')])).toBeNull()
  expect(said([], [vm('a', 'running')])).toBeNull()
  expect(said([vm('a', 'running')], [])).toBeNull()
})

test('many at once are told as a number', () => {
  const ids = ['a', 'b', 'c', 'd']
  expect(
    said(
      ids.map((id) => vm(id, 'stopping')),
      ids.map((id) => vm(id, 'stopped')),
    ),
  ).toBe('4 VMs changed their status')
})
