import { expect, test } from 'vitest'
import { ConsoleStream, type Piece } from './console-stream.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const at = '2026-11-21T10:00:00.000Z'

/** A stream that began at an offset, if one is given, and what it drew since it was last asked. */
function watch(from?: number) {
  const pieces: Piece[] = []
  const stream = new ConsoleStream((piece) => pieces.push(piece))
  const begin = (offset: number) => {
    stream.begin()
    stream.say({ type: 'at', offset })
  }
  const take = (text: string) => stream.take(bytes(text))
  const drawn = () =>
    pieces
      .splice(0)
      .map((piece) => (piece.kind === 'bytes' ? new TextDecoder().decode(piece.bytes) : piece.kind))
  if (from !== undefined) begin(from)
  return { stream, begin, take, drawn }
}

test('counts every byte, whether it was drawn or not, and goes on from there', () => {
  const { stream, begin, take } = watch()
  expect(stream.from).toBeUndefined()
  begin(1000)
  expect(stream.from).toBe(1000)
  take('half a line')
  take('\nwhole\n')
  expect(stream.from).toBe(1018)
  begin(1018)
  take('more')
  expect(stream.from).toBe(1022)
})

test('begins at the first line break when more stands before it, else at the very beginning', () => {
  const { stream, take, drawn } = watch(7)
  take('8;5;12mcolo')
  expect(drawn()).toEqual(['replay'])
  take('ured\nplain\n')
  stream.say({ type: 'live' })
  expect(drawn()).toEqual(['plain\n', 'live'])

  const whole = watch(0)
  whole.take('login: ')
  expect(whole.drawn()).toEqual(['replay', 'login: '])
})

test('draws a line without an end when nothing else is there', () => {
  const { stream, take, drawn } = watch(7)
  take('login: ')
  stream.say({ type: 'live' })
  expect(drawn()).toEqual(['replay', 'login: ', 'live'])

  const long = watch(7)
  long.take('x'.repeat(5000))
  expect(long.drawn()).toEqual(['replay', 'x'.repeat(5000)])
})

test('after a break neither loses nor doubles, also when the break came within the first line', () => {
  const { stream, begin, take, drawn } = watch(100)
  take('rest of')
  begin(stream.from ?? -1)
  take(' a line\nnext\n')
  expect(drawn()).toEqual(['replay', 'replay', 'next\n'])
})

test('says what was forgotten, and shows what follows at once while it is live', () => {
  const { stream, take, drawn } = watch(0)
  take('one\n')
  stream.say({ type: 'live' })
  drawn()
  stream.say({ type: 'at', offset: 5000 })
  take('prompt# ')
  expect(drawn()).toEqual(['gap', 'prompt# '])
  expect(stream.from).toBe(5008)
})

test('offsets that go back mean another machine', () => {
  const { stream, begin, take, drawn } = watch(0)
  take('0123456789')
  begin(0)
  take('boot')
  expect(drawn()).toEqual(['replay', '0123456789', 'replay', 'anew', 'boot'])
  expect(stream.from).toBe(4)
})

test('draws a note once, however often it is sent', () => {
  const { stream, begin, take, drawn } = watch()
  const ended = { type: 'note', note: 'ended', offset: 4, at } as const
  begin(0)
  take('bye\n')
  stream.say(ended)
  begin(4)
  stream.say(ended)
  stream.say({ type: 'note', note: 'started', offset: 4, at })
  expect(drawn()).toEqual(['replay', 'bye\n', 'note', 'replay', 'note'])
})

test('what was kept of a console that was off goes when it opens', () => {
  const { stream, begin, take, drawn } = watch()
  stream.keep(bytes('last words\n'))
  stream.keep(bytes('once is enough\n'))
  expect(stream.from).toBeUndefined()
  begin(0)
  take('last words\n')
  stream.keep(bytes('too late'))
  expect(drawn()).toEqual(['last words\n', 'replay', 'clear', 'last words\n'])
})

test('takes no bytes before it knows where they stand', () => {
  const { stream, take, drawn } = watch()
  take('x')
  expect(stream.from).toBeUndefined()
  expect(drawn()).toEqual([])
})
