import { afterEach, expect, test, vi } from 'vitest'
import {
  askingDialog,
  forgetAllUnsaved,
  forgetUnsaved,
  hasUnsaved,
  hasUnsavedIn,
  isHeldBack,
  keepUnsaved,
  letThrough,
  openFormDialog,
} from './unsaved.ts'

const create = { pathname: '/create', search: '' }
const home = { pathname: '/', search: '' }

afterEach(() => {
  forgetAllUnsaved()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

test('a form with something typed holds back whatever leaves its page, and nothing else', () => {
  const form = {}
  expect(isHeldBack(create, home)).toBe(false)
  keepUnsaved(form)
  expect(isHeldBack(create, home)).toBe(true)
  expect(isHeldBack(create, { ...create, search: '?template=t' })).toBe(false)
  forgetUnsaved(form)
  expect(isHeldBack(create, home)).toBe(false)
  expect(hasUnsaved()).toBe(false)
})

test('a form in a dialog holds back what closes the dialog, and its dialog asks', () => {
  const dialog = { ask: vi.fn() }
  const page = {}
  keepUnsaved(page)
  const close = openFormDialog(dialog)
  expect(askingDialog()).toBeNull()
  expect(hasUnsavedIn(dialog)).toBe(false)
  keepUnsaved({})
  expect(askingDialog()).toBe(dialog)
  expect(hasUnsavedIn(dialog)).toBe(true)
  expect(isHeldBack({ ...create, search: '?dialog=key' }, create)).toBe(true)
  forgetAllUnsaved(dialog)
  close()
  expect(hasUnsavedIn(dialog)).toBe(false)
  expect(isHeldBack(create, home)).toBe(true)
})

test('Cancel passes with the navigation of its own click, and no later one', () => {
  vi.useFakeTimers()
  keepUnsaved({})
  letThrough()
  vi.runAllTimers()
  expect(isHeldBack(create, home)).toBe(true)
  letThrough()
  expect(isHeldBack(create, home)).toBe(false)
  expect(hasUnsaved()).toBe(false)
})

test('the browser asks before a page with something typed in it is closed or reloaded, and no other', () => {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('removeEventListener', page.removeEventListener.bind(page))
  const asks = () => !page.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  const [one, another] = [{}, {}]
  expect(asks()).toBe(false)
  keepUnsaved(one)
  keepUnsaved(another)
  forgetUnsaved(one)
  expect(asks()).toBe(true)
  forgetUnsaved(another)
  expect(asks()).toBe(false)
})

test('Cancel of a dialog passes however long closing takes: Back comes later than its click', () => {
  vi.useFakeTimers()
  const dialog = { ask: vi.fn() }
  const close = openFormDialog(dialog)
  keepUnsaved({})
  forgetAllUnsaved(dialog)
  vi.advanceTimersByTime(1_000)
  expect(isHeldBack({ ...create, search: '?dialog=key' }, create)).toBe(false)
  close()
})
