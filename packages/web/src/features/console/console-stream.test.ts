import { expect, test } from 'vitest'
import { ConsoleStream, type Piece } from './console-stream.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const at = '2026-11-21T10:00:00.000Z'

function watch() {
  const pieces: Piece[] = []
  const stream = new ConsoleStream((piece) => pieces.push(piece))
  const drawn = () =>
    pieces
      .splice(0)
      .map((piece) => (piece.kind === 'bytes' ? new TextDecoder().decode(piece.bytes) : piece.kind))
  return { stream, drawn }
}

test('counts every byte, whether it was drawn or not, and goes on from there', () => {
  const { stream } = watch()
  expect(stream.from).toBeUndefined()
  stream.begin()
  stream.say({ type: 'at', offset: 1000 })
  expect(stream.from).toBe(1000)
  stream.take(bytes('half a line'))
  stream.take(bytes('\nwhole\n'))
  expect(stream.from).toBe(1018)
  stream.begin()
  stream.say({ type: 'at', offset: 1018 })
  stream.take(bytes('more'))
  expect(stream.from).toBe(1022)
})

test('begins at the first line break when more stands before it, else at the very beginning', () => {
  const { stream, drawn } = watch()
  stream.begin()
  stream.say({ type: 'at', offset: 7 })
  stream.take(bytes('8;5;12mcolo'))
  expect(drawn()).toEqual(['replay'])
  stream.take(bytes('ured\nplain\n'))
  stream.say({ type: 'live' })
  expect(drawn()).toEqual(['plain\n', 'live'])

  const whole = watch()
  whole.stream.begin()
  whole.stream.say({ type: 'at', offset: 0 })
  whole.stream.take(bytes('login: '))
  expect(whole.drawn()).toEqual(['replay', 'login: '])
})

test('draws a line without an end when nothing else is there', () => {
  const { stream, drawn } = watch()
  stream.begin()
  stream.say({ type: 'at', offset: 7 })
  stream.take(bytes('login: '))
  stream.say({ type: 'live' })
  expect(drawn()).toEqual(['replay', 'login: ', 'live'])

  const long = watch()
  long.stream.begin()
  long.stream.say({ type: 'at', offset: 7 })
  long.stream.take(bytes('x'.repeat(5000)))
  expect(long.drawn()).toEqual(['replay', 'x'.repeat(5000)])
})

test('after a break neither loses nor doubles, also when the break came within the first line', () => {
  const { stream, drawn } = watch()
  stream.begin()
  stream.say({ type: 'at', offset: 100 })
  stream.take(bytes('rest of'))
  stream.begin()
  stream.say({ type: 'at', offset: stream.from ?? -1 })
  stream.take(bytes(' a line\nnext\n'))
  expect(drawn()).toEqual(['replay', 'replay', 'next\n'])
})

test('says what was forgotten, and shows what follows at once while it is live', () => {
  const { stream, drawn } = watch()
  stream.begin()
  stream.say({ type: 'at', offset: 0 })
  stream.take(bytes('one\n'))
  stream.say({ type: 'live' })
  drawn()
  stream.say({ type: 'at', offset: 5000 })
  stream.take(bytes('prompt# '))
  expect(drawn()).toEqual(['gap', 'prompt# '])
  expect(stream.from).toBe(5008)
})

test('offsets that go back mean another machine', () => {
  const { stream, drawn } = watch()
  stream.begin()
  stream.say({ type: 'at', offset: 0 })
  stream.take(bytes('0123456789'))
  stream.begin()
  stream.say({ type: 'at', offset: 0 })
  stream.take(bytes('boot'))
  expect(drawn()).toEqual(['replay', '0123456789', 'replay', 'anew', 'boot'])
  expect(stream.from).toBe(4)
})

test('draws a note once, however often it is sent', () => {
  const { stream, drawn } = watch()
  const ended = { type: 'note', note: 'ended', offset: 4, at } as const
  stream.begin()
  stream.say({ type: 'at', offset: 0 })
  stream.take(bytes('bye\n'))
  stream.say(ended)
  stream.begin()
  stream.say({ type: 'at', offset: 4 })
  stream.say(ended)
  stream.say({ type: 'note', note: 'started', offset: 4, at })
  expect(drawn()).toEqual(['replay', 'bye\n', 'note', 'replay', 'note'])
})

test('what was kept of a console that was off goes when it opens', () => {
  const { stream, drawn } = watch()
  stream.keep(bytes('last words\n'))
  stream.keep(bytes('once is enough\n'))
  expect(stream.from).toBeUndefined()
  stream.begin()
  stream.say({ type: 'at', offset: 0 })
  stream.take(bytes('last words\n'))
  stream.keep(bytes('too late'))
  expect(drawn()).toEqual(['last words\n', 'replay', 'clear', 'last words\n'])
})

test('takes no bytes before it knows where they stand', () => {
  const { stream, drawn } = watch()
  stream.take(bytes('x'))
  expect(stream.from).toBeUndefined()
  expect(drawn()).toEqual([])
})
