import { expect, test } from 'vitest'
import { isPaletteKey } from './palette.ts'

const press = (key: string, modifiers: Partial<Record<'ctrl' | 'meta' | 'alt' | 'shift', true>>) =>
  isPaletteKey({
    key,
    ctrlKey: modifiers.ctrl ?? false,
    metaKey: modifiers.meta ?? false,
    altKey: modifiers.alt ?? false,
    shiftKey: modifiers.shift ?? false,
  })

test.each([
  ['k', { ctrl: true }, true],
  ['K', { meta: true }, true],
  ['k', {}, false],
  ['k', { ctrl: true, meta: true }, false],
  ['k', { ctrl: true, shift: true }, false],
  ['k', { meta: true, alt: true }, false],
  ['j', { ctrl: true }, false],
] as const)('the key %s with %j means the palette: %s', (key, modifiers, meant) => {
  expect(press(key, modifiers)).toBe(meant)
})
