import { expect, test } from 'vitest'
import { type Attempt, attemptFor } from './form-attempt.ts'

function keys() {
  let last = 0
  return () => `key ${++last}`
}

test('the same form sent again has the same key, however often', () => {
  const newKey = keys()
  let attempt: Attempt | null = null
  for (let times = 0; times < 3; times++) {
    attempt = attemptFor(attempt, { projectId: 'p', body: { name: 'engine' } }, newKey)
    expect(attempt.key).toBe('key 1')
  }
})

test('a form with something else in it has another key, also when the first text comes back', () => {
  const newKey = keys()
  const first = attemptFor(null, { name: 'engine' }, newKey)
  const second = attemptFor(first, { name: 'sieve' }, newKey)
  const third = attemptFor(second, { name: 'engine' }, newKey)
  expect([first.key, second.key, third.key]).toEqual(['key 1', 'key 2', 'key 3'])
})

test('the same body for another project is something else', () => {
  const newKey = keys()
  const first = attemptFor(null, { projectId: 'p', body: { name: 'engine' } }, newKey)
  expect(attemptFor(first, { projectId: 'q', body: { name: 'engine' } }, newKey).key).toBe('key 2')
})

test('after a success the same text is a new wish', () => {
  const newKey = keys()
  expect(attemptFor(null, { name: 'engine' }, newKey).key).toBe('key 1')
  expect(attemptFor(null, { name: 'engine' }, newKey).key).toBe('key 2')
})

test('a form without input is sent too, and again with the same key', () => {
  const newKey = keys()
  const first = attemptFor(null, undefined, newKey)
  expect(first.key).toBe('key 1')
  expect(attemptFor(first, undefined, newKey)).toBe(first)
})
