import { expect, test } from 'vitest'
import { keyFor } from './default-key.ts'

const key = (id: string, is_default = false) => ({ id, is_default })

test('the default key is preselected wherever it stands in the list', () => {
  expect(keyFor([key('laptop'), key('desktop'), key('safe', true)], '')?.id).toBe('safe')
})

test('a key that somebody chose stays chosen; one that is gone gives way to the default', () => {
  const keys = [key('laptop'), key('safe', true)]
  expect(keyFor(keys, 'laptop')?.id).toBe('laptop')
  expect(keyFor(keys, 'deleted')?.id).toBe('safe')
})

test('without a default the first key is taken, and without keys none', () => {
  expect(keyFor([key('laptop'), key('desktop')], '')?.id).toBe('laptop')
  expect(keyFor([], 'laptop')).toBeUndefined()
})
