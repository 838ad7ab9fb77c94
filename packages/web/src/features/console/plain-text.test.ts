import { expect, test } from 'vitest'
import { lastRows } from './plain-text.ts'

test('shows the last rows without their colours, wrapped as a terminal would', () => {
  const text = 'one\r\n\x1b[1;32mtwo\x1b[0m three\r\n\x1b[?2004h\x1b[J0123456789ab'
  expect(lastRows(text, 10, 10)).toEqual(['one', 'two three', '0123456789', 'ab'])
  expect(lastRows(text, 10, 2)).toEqual(['0123456789', 'ab'])
})

test('what a carriage return covered is not shown, nor a title', () => {
  expect(lastRows('\x1b]0;title\x0710%\r20%\r\n$ ', 80, 5)).toEqual(['20%', '$ '])
})

test.each([
  ['a cleared screen', 'a\x1b[2Jb'],
  ['a moved cursor', '\x1b[5;1Htop'],
  ['a full-screen program', '\x1b[?1049hvim'],
  ['wide signs', '漢字'],
])('leaves it to the terminal to show %s', (_, text) => {
  expect(lastRows(text, 80, 24)).toBeNull()
})
