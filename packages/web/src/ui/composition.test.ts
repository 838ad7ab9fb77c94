import { expect, test } from 'vitest'
import { isEnter, isEscape } from './composition.ts'

const press = (key: string, more: { isComposing?: boolean; keyCode?: number } = {}) =>
  ({ key, isComposing: false, keyCode: 13, ...more }) as KeyboardEvent

test('Enter and Escape are commands', () => {
  expect(isEnter(press('Enter'))).toBe(true)
  expect(isEscape(press('Escape'))).toBe(true)
  expect(isEnter(press('a'))).toBe(false)
})

test('neither is one while an input method composes, also as Safari reports it', () => {
  for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
    expect(isEnter(press('Enter', composing))).toBe(false)
    expect(isEscape(press('Escape', composing))).toBe(false)
  }
})

test('React’s events are judged by the browser’s event in them', () => {
  const event = (native: KeyboardEvent) =>
    ({ key: native.key, nativeEvent: native }) as unknown as Parameters<typeof isEnter>[0]
  expect(isEnter(event(press('Enter')))).toBe(true)
  expect(isEnter(event(press('Enter', { isComposing: true })))).toBe(false)
})
