import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { announce, announcements } from './announce.ts'

const texts = () => announcements.get().map(({ text }) => text)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

test('texts that come at once are read one after the other, none is dropped', () => {
  announce('web-1 is running')
  announce('web-2 is running')
  announce('Saved')
  expect(texts()).toEqual(['web-1 is running'])
  vi.advanceTimersByTime(250)
  expect(texts()).toEqual(['web-1 is running', 'web-2 is running'])
  vi.advanceTimersByTime(250)
  expect(texts()).toEqual(['web-1 is running', 'web-2 is running', 'Saved'])
})

test('the same text again is another one to read', () => {
  announce('Copied to clipboard!')
  vi.advanceTimersByTime(1000)
  announce('Copied to clipboard!')
  const ids = announcements.get().map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
})

test('what was read is cleared away', () => {
  announce('Saved')
  vi.advanceTimersByTime(10_000)
  expect(texts()).toEqual([])
})
