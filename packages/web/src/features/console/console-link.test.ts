import { consoleBeatMs } from '@slipway/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConsoleLink } from './console-link.ts'
import type { Reason } from './link-view.ts'
import type { LostInput } from './outbox.ts'

/** The side of a browser's socket that a page sees, steered by the test. */
class FakeSocket extends EventTarget {
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null
  binaryType = 'blob'
  bufferedAmount = 0
  closed = false
  readonly sent: (string | Uint8Array)[] = []
  readonly from: number | undefined

  constructor(from: number | undefined) {
    super()
    this.from = from
  }

  send(data: string | Uint8Array): void {
    this.sent.push(data)
  }

  close(): void {
    this.closed = true
  }

  /** The server accepts, and sends from an offset on. */
  accept(offset: number, text = ''): void {
    this.onopen?.()
    this.say({ type: 'at', offset })
    this.print(text)
    this.say({ type: 'live' })
  }

  say(saying: object): void {
    this.onmessage?.({ data: JSON.stringify(saying) })
  }

  print(text: string): void {
    this.onmessage?.({ data: new TextEncoder().encode(text).buffer })
  }
}

function connect(reason: () => Reason = () => 'unknown') {
  const sockets: FakeSocket[] = []
  const lost: LostInput[] = []
  let ignored = 0
  const link = new ConsoleLink({
    open(from) {
      const socket = new FakeSocket(from)
      sockets.push(socket)
      // It has what the link uses of a socket.
      return socket as unknown as WebSocket
    },
    look: async () => reason(),
    onLost: (input) => lost.push(input),
    onIgnored: () => ignored++,
  })
  let text = ''
  link.draw((piece) => {
    if (piece.kind === 'bytes') text += new TextDecoder().decode(piece.bytes)
  })
  const latest = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('No socket was opened')
    return socket
  }
  return {
    link,
    sockets,
    latest,
    lost,
    ignored: () => ignored,
    text: () => text,
    state: () => link.view().state,
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(1)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
const settle = () => vi.advanceTimersByTimeAsync(0)

test('goes on from where it was after a break, and the text stays', async () => {
  const { latest, state, text, sockets } = connect()
  expect(state()).toBe('connecting')
  expect(latest().from).toBeUndefined()
  latest().accept(0, 'hello ')
  expect(state()).toBe('connected')
  latest().onclose?.({ code: 1006 })
  await settle()
  expect(state()).toBe('reconnecting')
  await vi.advanceTimersByTimeAsync(250)
  expect(sockets).toHaveLength(2)
  expect(latest().from).toBe(6)
  latest().accept(6, 'again')
  expect(text()).toBe('hello again')
  expect(state()).toBe('connected')
})

test('waits a quarter of a second at first, twice as long each time, five seconds at most', async () => {
  const { latest, sockets } = connect()
  for (const pause of [250, 500, 1000, 2000, 4000, 5000, 5000]) {
    const before = sockets.length
    latest().onclose?.({ code: 1006 })
    await settle()
    await vi.advanceTimersByTimeAsync(pause - 1)
    expect(sockets).toHaveLength(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(sockets).toHaveLength(before + 1)
  }
})

test('a connection that held begins the pauses anew, one that broke at once does not', async () => {
  const { latest, sockets } = connect()
  for (const _ of [1, 2]) {
    latest().accept(0)
    latest().onclose?.({ code: 1001 })
    await vi.advanceTimersByTimeAsync(500)
  }
  expect(sockets).toHaveLength(3)
  latest().accept(0)
  await vi.advanceTimersByTimeAsync(1_000)
  latest().onclose?.({ code: 1001 })
  await vi.advanceTimersByTimeAsync(250)
  expect(sockets).toHaveLength(4)
})

test('does not wait when somebody has a reason to hope', async () => {
  const { link, latest, sockets } = connect()
  latest().onclose?.({ code: 1006 })
  await settle()
  link.hurry()
  expect(sockets).toHaveLength(2)
  link.hurry()
  expect(sockets).toHaveLength(2)
})

test('on another network the old connection is left for a new one without a hole', () => {
  const { link, latest, sockets, text } = connect()
  latest().accept(0, 'one ')
  const [old] = sockets
  link.renew()
  expect(old?.closed).toBe(true)
  expect(latest().from).toBe(4)
  old?.print('never heard')
  latest().accept(4, 'two')
  expect(text()).toBe('one two')
})

test('when the guest ended it waits for the VM, and comes back from the offset', async () => {
  const { link, latest, sockets, state, text } = connect(() => 'off')
  latest().accept(0, 'bye')
  link.vmIs(false)
  latest().onclose?.({ code: 1000 })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state()).toBe('off')
  expect(sockets).toHaveLength(1)
  link.vmIs(true)
  expect(latest().from).toBe(3)
  expect(state()).toBe('off')
  latest().accept(3, ' hello')
  expect(state()).toBe('connected')
  expect(text()).toBe('bye hello')
})

test('looks again by itself when nobody told that the VM is off', async () => {
  const { latest, sockets, state } = connect(() => 'off')
  latest().accept(0)
  latest().onclose?.({ code: 1000 })
  await vi.advanceTimersByTimeAsync(250)
  expect(sockets).toHaveLength(2)
  latest().onclose?.({ code: 1006 })
  await settle()
  expect(state()).toBe('off')
})

test.each([
  ['gone', 'gone'],
  ['refused', 'refused'],
  ['off', 'off'],
  ['open', 'connecting'],
  ['unknown', 'connecting'],
] as const)('a socket that does not open asks why: %s', async (reason, state) => {
  const { latest, state: now } = connect(() => reason)
  latest().onclose?.({ code: 1006 })
  await settle()
  expect(now()).toBe(state)
})

test('a session that ended is not tried again until somebody asks', async () => {
  const { link, latest, sockets, state } = connect(() => 'refused')
  latest().accept(0, 'secret')
  latest().onclose?.({ code: 1008 })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state()).toBe('refused')
  expect(sockets).toHaveLength(1)
  link.hurry()
  expect(sockets).toHaveLength(2)
})

test('a full console waits until somebody asks', async () => {
  const { link, latest, sockets, state } = connect()
  latest().onopen?.()
  latest().onclose?.({ code: 1013 })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state()).toBe('full')
  link.hurry()
  expect(sockets).toHaveLength(2)
})

test('sends what is typed in pieces, and no faster than the socket takes it', async () => {
  const { link, latest } = connect()
  const big = new Uint8Array(10_000).fill(65)
  link.type(big)
  latest().accept(0)
  expect(latest().sent).toEqual([])
  latest().bufferedAmount = 1_000_000
  link.type(big)
  expect(latest().sent).toEqual([])
  latest().bufferedAmount = 0
  await vi.advanceTimersByTimeAsync(20)
  expect(latest().sent.map((part) => part.length)).toEqual([4096, 4096, 1808])
})

test('counts input that a broken connection did not send, and input that the guest did not confirm', async () => {
  const { link, latest, lost } = connect()
  latest().accept(0)
  link.type(new Uint8Array(10))
  latest().say({ type: 'beat', typed: 10 })
  link.type(new Uint8Array(30))
  latest().say({ type: 'beat', typed: 14 })
  latest().bufferedAmount = 1_000_000
  link.type(new Uint8Array(5_000))
  latest().onclose?.({ code: 1006 })
  expect(lost).toEqual([{ unsent: 5_000, unconfirmed: 26 }])
  await vi.advanceTimersByTimeAsync(250)
  latest().accept(0)
  latest().bufferedAmount = 0
  await vi.advanceTimersByTimeAsync(1_000)
  expect(latest().sent, 'nothing is sent a second time').toEqual([])
})

test('says nothing when the guest confirmed all input before the connection broke', () => {
  const { link, latest, lost } = connect()
  latest().accept(0)
  link.type(new Uint8Array(3))
  latest().say({ type: 'beat', typed: 3 })
  latest().onclose?.({ code: 1006 })
  expect(lost).toEqual([])
})

test('a page that is left counts what it had not sent, not what is on its way', () => {
  const { link, latest, lost } = connect()
  latest().accept(0)
  link.type(new Uint8Array(3))
  link.close()
  expect(lost).toEqual([])
})

test('says once for each interruption that input is not sent', async () => {
  const { link, latest, ignored } = connect()
  latest().accept(0, 'text')
  for (const total of [1, 2]) {
    latest().onclose?.({ code: 1006 })
    link.type(new Uint8Array(1))
    link.type(new Uint8Array(1))
    expect(ignored()).toBe(total)
    await vi.advanceTimersByTimeAsync(1_000)
    latest().accept(4)
  }
})

test('a socket from which nothing comes, although it is open, is left for a new one', async () => {
  const { latest, sockets, state, lost, link } = connect()
  latest().accept(0, 'text')
  link.type(new Uint8Array(2))
  for (let beats = 0; beats < 10; beats++) {
    await vi.advanceTimersByTimeAsync(consoleBeatMs)
    latest().say({ type: 'beat', typed: 1 })
  }
  expect(sockets).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(3 * consoleBeatMs)
  expect(sockets).toHaveLength(2)
  expect(sockets[0]?.closed).toBe(true)
  expect(latest().from).toBe(4)
  expect(state()).toBe('reconnecting')
  expect(lost).toEqual([{ unsent: 0, unconfirmed: 1 }])
  latest().accept(4)
  expect(state()).toBe('connected')
})

test('a socket that never opens is tried again', async () => {
  const { sockets } = connect()
  await vi.advanceTimersByTimeAsync(3 * consoleBeatMs)
  expect(sockets).toHaveLength(2)
})

test('a page that is looked at again leaves a socket that fell silent meanwhile', async () => {
  const { link, latest, sockets } = connect()
  latest().accept(0)
  link.hurry()
  expect(sockets).toHaveLength(1)
  // A browser that sleeps runs no timers.
  vi.setSystemTime(Date.now() + 3_600_000)
  link.hurry()
  expect(sockets).toHaveLength(2)
})

test('tells the size at once, and again on each new line', async () => {
  const { link, latest } = connect()
  link.resize(80, 24)
  latest().accept(0)
  expect(latest().sent).toEqual(['{"type":"resize","cols":80,"rows":24}'])
  latest().onclose?.({ code: 1001 })
  await vi.advanceTimersByTimeAsync(250)
  latest().accept(0)
  expect(latest().sent).toEqual(['{"type":"resize","cols":80,"rows":24}'])
})

test('keeps what comes before there is a terminal', () => {
  let socket: FakeSocket | undefined
  const link = new ConsoleLink({
    open(from) {
      socket = new FakeSocket(from)
      return socket as unknown as WebSocket
    },
    look: async () => 'unknown',
  })
  socket?.accept(0, 'early')
  const kinds: string[] = []
  link.draw(({ kind }) => kinds.push(kind))
  expect(kinds).toEqual(['replay', 'bytes', 'live'])
})

test('a terminal slower than its guest gets the rest later, without a hole', () => {
  const { link, latest, sockets, state } = connect()
  latest().accept(0)
  const flood = 'x'.repeat(9 * 1024 * 1024)
  latest().print(flood)
  expect(sockets[0]?.closed).toBe(true)
  expect(state()).toBe('connected')
  link.drawn(flood.length)
  expect(latest().from).toBe(flood.length)
})

test('says who looks on and whether there is a screen', () => {
  const { link, latest } = connect()
  latest().accept(0)
  latest().say({ type: 'viewers', viewers: [{ name: 'Ada', you: true }] })
  latest().say({ type: 'screen', available: true })
  expect(link.view()).toEqual({
    state: 'connected',
    viewers: [{ name: 'Ada', you: true }],
    screen: true,
  })
})

test('what is closed stays closed', async () => {
  const { link, latest, sockets } = connect()
  latest().onclose?.({ code: 1006 })
  link.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets).toHaveLength(1)
})
