import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ToastSheet, toast } from './toast.tsx'
import { dismissToast, toastList } from './toast-list.ts'

const shown = () => toastList.get().map(({ text }) => text)

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  for (const { id } of toastList.get()) dismissToast(id)
  vi.useRealTimers()
})

it('shows the newest toast first', () => {
  toast.success('Saved')
  toast.error('Not saved')
  expect(shown()).toEqual(['Not saved', 'Saved'])
})

it.each(['success', 'error', 'warning', 'info'] as const)('lets a toast of kind %s go after 5 s', (kind) => {
  toast[kind]('Saved')
  vi.advanceTimersByTime(4_999)
  expect(shown()).toEqual(['Saved'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual([])
})

it('keeps to another duration', () => {
  toast.info('Saved', { duration: 200 })
  vi.advanceTimersByTime(199)
  expect(shown()).toEqual(['Saved'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual([])
})

it.each([0, -1])('lets a toast with the duration %i stay until it is dismissed', (duration) => {
  toast.warning('The disk is full', { duration })
  vi.advanceTimersByTime(86_400_000)
  expect(shown()).toEqual(['The disk is full'])
  for (const { id } of toastList.get()) dismissToast(id)
  expect(shown()).toEqual([])
})

it('stops the time while a toast is read, and lets the rest run afterwards', () => {
  toast.success('Saved')
  const [{ clock } = {}] = toastList.get()
  vi.advanceTimersByTime(3_000)
  clock?.pause()
  vi.advanceTimersByTime(60_000)
  clock?.resume()
  vi.advanceTimersByTime(1_999)
  expect(shown()).toEqual(['Saved'])
  vi.advanceTimersByTime(1)
  expect(shown()).toEqual([])
})

it.each([
  ['success', 'status', 'lucide-circle-check'],
  ['info', 'status', 'lucide-info'],
  ['warning', 'alert', 'lucide-triangle-alert'],
  ['error', 'alert', 'lucide-octagon-alert'],
] as const)('draws the kind %s with the role %s and a sign of its own', (kind, role, sign) => {
  toast[kind]('Something happened', { detail: 'Not enough memory' })
  const html = toastList.get().map((one) => renderToStaticMarkup(createElement(ToastSheet, { toast: one })))
  expect(html).toHaveLength(1)
  expect(html[0]).toContain(`role="${role}"`)
  expect(html[0]).toMatch(new RegExp(`class="[^"]*\\b${sign}\\b`))
  expect(html[0]).toContain('Something happened')
  expect(html[0]).toContain('Not enough memory')
})
