import type { Vm } from '@slipway/contract'
import { expect, test } from 'vitest'
import { gapText, lineWords, lostText, noteText, noticeOf, screenNoticeOf } from './console-words.ts'

const vm = (status: Vm['status'], more: Partial<Vm> = {}) => ({
  status,
  status_message: null,
  steps: [],
  ...more,
})

test('a VM that is off can be started, and is no failure', () => {
  expect(lineWords('off', vm('stopped'))).toEqual({ glyph: 'stopped', text: 'VM is off' })
  expect(noticeOf('off', vm('stopped'))).toEqual({ text: 'The VM is off.', action: 'start' })
})

test('a VM on its way says what it waits for', () => {
  expect(lineWords('off', vm('pending'))).toEqual({ glyph: 'pending', text: 'Waiting' })
  expect(noticeOf('off', vm('pending'))).toEqual({
    text: 'Queued. The console opens automatically.',
    action: null,
  })
})

test('a VM that stops is no VM that comes', () => {
  expect(lineWords('off', vm('stopping')).text).toBe('VM is off')
  expect(noticeOf('off', vm('stopping'))).toEqual({ text: 'The VM is stopping.', action: null })
})

test('a reason that ends with a full stop gets no second one', () => {
  const waiting = vm('pending', { status_message: 'Needs 2.0 GB of memory.' })
  expect(noticeOf('off', waiting)?.text).toBe('Needs 2.0 GB of memory. The console opens automatically.')
})

test('a VM that failed says why, and can be started only where that is allowed', () => {
  expect(noticeOf('off', vm('failed', { status_message: 'No room.' }))).toEqual({
    text: 'No room.',
    action: null,
  })
  expect(noticeOf('off', vm('error', { status_message: 'It broke.' }))).toEqual({
    text: 'It broke.',
    action: 'start',
  })
})

test('nothing stands in the way while the line is there or on its way back', () => {
  expect(noticeOf('connected', vm('running'))).toBeNull()
  expect(noticeOf('connecting', vm('running'))).toBeNull()
  expect(noticeOf('reconnecting', vm('running'))).toBeNull()
  expect(noticeOf('refused', vm('running'))?.action).toBe('sign-in')
  expect(noticeOf('full', undefined)?.action).toBe('retry')
  expect(noticeOf('gone', undefined)?.action).toBeNull()
})

test('a note tells the local time, and the date unless it was today', () => {
  const at = new Date(2026, 10, 21, 9, 5, 7)
  const note = (now: Date) => noteText('started', at.toISOString(), now)
  expect(note(new Date(2026, 10, 21, 23, 0))).toBe('The VM started, 09:05:07')
  expect(note(new Date(2026, 10, 22, 1, 0))).toMatch(/^The VM started, .*2026/)
})

test('what was forgotten has a size', () => {
  expect(gapText({ kind: 'gap', bytes: 12 })).toMatch(/^12 bytes/)
  expect(gapText({ kind: 'gap', bytes: 70_000 })).toMatch(/^68 kB/)
})

test('a screen that was given up says why and can be tried again, one that comes back does not', () => {
  expect(screenNoticeOf('unreachable')?.action).toBe('retry')
  expect(screenNoticeOf('failed')?.action).toBe('retry')
  expect(screenNoticeOf('reconnecting')).toBeNull()
})

test('input that was not sent is lost for certain, input that was not confirmed perhaps', () => {
  expect(lostText({ unsent: 5, unconfirmed: 0 })).toMatch(/5 bytes of your input did not reach the VM/)
  expect(lostText({ unsent: 0, unconfirmed: 1 })).toMatch(/Up to 1 byte of your input may not have reached/)
})
