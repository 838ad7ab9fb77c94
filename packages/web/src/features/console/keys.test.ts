import { expect, test } from 'vitest'
import { keysOf, withCtrl } from './keys.ts'

test('Ctrl makes control codes of letters and of the signs beside them, and leaves the rest', () => {
  expect(withCtrl('c')).toBe('\x03')
  expect(withCtrl('C')).toBe('\x03')
  expect(withCtrl('[')).toBe('\x1b')
  expect(withCtrl(' ')).toBe('\x00')
  expect(withCtrl('?')).toBe('\x7f')
  expect(withCtrl('1')).toBe('1')
  expect(withCtrl('\x1b[A')).toBe('\x1b[A')
})

test('a text is typed key by key, with Shift where the American layout has it', () => {
  expect(keysOf('aB|\r\n\t')).toEqual([
    { keysym: 0x61, shift: false },
    { keysym: 0x42, shift: true },
    { keysym: 0x7c, shift: true },
    { keysym: 0xff0d, shift: false },
    { keysym: 0xff09, shift: false },
  ])
  expect(keysOf('é→😀')).toEqual([
    { keysym: 0xe9, shift: false },
    { keysym: 0x01002192, shift: false },
    { keysym: 0x0101f600, shift: false },
  ])
})
