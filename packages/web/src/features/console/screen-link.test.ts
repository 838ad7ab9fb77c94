import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Reason } from './link-view.ts'
import { ScreenLink } from './screen-link.ts'

function connect(reason: () => Reason = () => 'unknown') {
  const sockets: { onOpen: () => void; onClose: () => void; closed: boolean }[] = []
  const link = new ScreenLink({
    open(events) {
      const socket = { ...events, closed: false }
      sockets.push(socket)
      return {
        close() {
          socket.closed = true
          // noVNC says so of a screen that was closed on purpose too.
          socket.onClose()
        },
      }
    },
    look: async () => reason(),
  })
  const latest = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('No socket was opened')
    return socket
  }
  return { link, sockets, latest }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})
const settle = () => vi.advanceTimersByTimeAsync(0)

async function breakUntilItRests({ latest, sockets }: ReturnType<typeof connect>): Promise<number> {
  for (let tries = 1; tries < 100; tries++) {
    const before = sockets.length
    latest().onClose()
    await vi.advanceTimersByTimeAsync(10_000)
    if (sockets.length === before) return before
  }
  throw new Error('It tries for ever')
}

test.each([
  ['unknown', 'unreachable'],
  ['open', 'failed'],
] as const)('gives up after some attempts and says why: %s', async (reason, state) => {
  const world = connect(() => reason)
  world.latest().onOpen()
  expect(await breakUntilItRests(world)).toBe(7)
  expect(world.link.state()).toBe(state)
  world.link.hurry()
  expect(world.link.state()).toBe('reconnecting')
  world.latest().onOpen()
  expect(world.link.state()).toBe('connected')
})

test.each(['off', 'gone', 'refused'] as const)('of a VM that is %s it says so at once', async (reason) => {
  const { link, latest, sockets } = connect(() => reason)
  latest().onOpen()
  latest().onClose()
  await settle()
  expect(link.state()).toBe(reason)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets).toHaveLength(1)
})

test('a screen that opens and closes at once does not begin the attempts anew, one that held does', async () => {
  const world = connect()
  for (let tries = 0; tries < 7; tries++) {
    world.latest().onOpen()
    world.latest().onClose()
    await vi.advanceTimersByTimeAsync(10_000)
  }
  expect(world.link.state()).toBe('unreachable')
  world.link.hurry()
  world.latest().onOpen()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await breakUntilItRests(world)).toBe(14)
})

test('a new connection takes the place of one that may be dead', async () => {
  const { link, latest, sockets } = connect()
  latest().onOpen()
  link.renew()
  await settle()
  expect(sockets).toHaveLength(2)
  expect(sockets[0]?.closed).toBe(true)
  expect(link.state()).toBe('reconnecting')
  latest().onOpen()
  expect(link.state()).toBe('connected')
})

test('what is closed stays closed', async () => {
  const { link, latest, sockets } = connect()
  latest().onClose()
  link.close()
  link.hurry()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sockets).toHaveLength(1)
})
