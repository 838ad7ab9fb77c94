import { expect, test } from 'vitest'
import { dialogIn, dialogStateOver, entryBelow, scrollKey, withDialog } from './dialog-url.ts'

test('a dialog is named in the query beside what else is there', () => {
  const search = withDialog('?search=web', { name: 'delete-vm', of: 'a b' })
  expect(search).toBe('?search=web&dialog=delete-vm&of=a+b')
  expect(dialogIn(search)).toEqual({ name: 'delete-vm', of: 'a b' })
})

test('a dialog takes the place of another one, and leaves no trace', () => {
  const search = withDialog('?dialog=ssh&of=1', { name: 'new-project', of: null })
  expect(search).toBe('?dialog=new-project')
  expect(withDialog(search, null)).toBe('')
  expect(withDialog('?search=web&dialog=ssh&of=1', null)).toBe('?search=web')
})

test('a query without a dialog has none', () => {
  expect(dialogIn('')).toBeNull()
  expect(dialogIn('?dialog=&of=1')).toBeNull()
})

test('the entry of a dialog knows the one below and keeps its state', () => {
  const state = dialogStateOver('k1', { from: '/vms' })
  expect(state).toEqual({ from: '/vms', dialogOver: 'k1' })
  expect(entryBelow(state)).toBe('k1')
  for (const other of [null, undefined, 'text', { from: '/' }]) expect(entryBelow(other)).toBeNull()
})

test('a page and its dialog share a scroll position', () => {
  expect(scrollKey({ key: 'k2', state: dialogStateOver('k1', null) })).toBe('k1')
  expect(scrollKey({ key: 'k1', state: null })).toBe('k1')
})
