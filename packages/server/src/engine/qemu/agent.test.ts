import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { makeAgentTalk, trafficIn } from './agent.ts'
import { talkTo } from './agent-line.ts'
import { AGENT_CHANNEL } from './command-line.ts'
import type { MachineDirs } from './machine-dir.ts'
import type { Qmp } from './qmp.ts'

type Request = { execute: string; arguments: { id: number; time: number } }

describe('a talk with the agent of a guest', () => {
  const dir = directoryForEach()
  let server: Server
  let guest: Socket | null
  let answer: (request: Request) => void
  /** How many talks it is too busy for. */
  let deafFor: number
  let syncsAfterMs: number

  beforeEach(async () => {
    guest = null
    answer = () => {}
    deafFor = 0
    syncsAfterMs = 0
    server = createServer((socket) => {
      guest = socket
      socket.on('error', () => {})
      socket.on('data', (chunk) => {
        for (const line of chunk.toString().trim().split('\n')) {
          const request = JSON.parse(line) as Request
          if (request.execute !== 'guest-sync') answer(request)
          else if (deafFor > 0) deafFor -= 1
          else setTimeout(reply, syncsAfterMs, request.arguments.id)
        }
      })
    })
    server.listen(join(dir(), 'agent.sock'))
    await once(server, 'listening')
  })
  afterEach(() => {
    guest?.destroy()
    server.close()
  })

  const reply = (value: unknown) => guest?.write(`${JSON.stringify({ return: value })}\n`)
  const drained = (socket: Socket) => new Promise<void>((resolve) => socket.once('drain', () => resolve()))
  async function line(): Promise<Socket> {
    const socket = connect(join(dir(), 'agent.sock'))
    await once(socket, 'connect')
    return socket
  }
  async function reach() {
    const agent = await talkTo(await line())
    if (!agent) throw new Error('The agent was not reached')
    return agent
  }

  test('brings each answer to its question, also behind what was left of an earlier talk', async () => {
    const agent = await reach()
    answer = ({ execute }) => {
      guest?.write('\xff\xff')
      reply(execute)
    }
    expect(await agent.execute('one', {}, 2000)).toBe('one')
    expect(await agent.execute('two', {}, 2000)).toBe('two')
    agent.close()
  })

  test.each([
    ['a line without end', () => 'x'.repeat(64 * 1024)],
    ['lines without end', () => '{"a":1}\n'.repeat(8 * 1024)],
    ['arrays in arrays without end', () => `{"a":${'['.repeat(64 * 1024)}\n`],
  ])('is ended by the first answer that is none: %s', async (_, piece) => {
    const agent = await reach()
    const closed = new Promise<void>((resolve) => guest?.once('close', () => resolve()))
    answer = async () => {
      // Sixty-four megabytes, if anybody took them.
      for (let count = 0; count < 1024 && guest && !guest.destroyed; count += 1) {
        if (!guest.write(piece())) await Promise.race([drained(guest), closed])
      }
    }
    await expect(agent.execute('guest-network-get-interfaces', {}, 60_000)).rejects.toThrow('without end')
    await closed
    await expect(agent.execute('again', {}, 60_000)).rejects.toThrow('gone')
  })

  test('refuses an answer that nests too deep instead of parsing it', async () => {
    const agent = await reach()
    answer = () => guest?.write(`{"return":${'['.repeat(1000)}${']'.repeat(1000)}}\n{"return":"next"}\n`)
    expect(await agent.execute('anything', {}, 2000)).toBe('next')
    agent.close()
  })

  function talker(listens = true) {
    const qmp = { execute: async () => [{ label: AGENT_CHANNEL, 'frontend-open': listens }] }
    const dirs = { fileOf: () => join(dir(), 'agent.sock') }
    // What is used of them.
    return makeAgentTalk('vm-1', qmp as unknown as Qmp, dirs as unknown as MachineDirs)
  }

  /** A guest with a clock of its own; what it was asked is in the order in which it was. */
  function clockAt(time: number, takes: (asked: number) => number = () => 0) {
    let aheadMs = time - Date.now()
    const asked: string[] = []
    answer = ({ execute, arguments: { time: told } }) => {
      asked.push(execute)
      if (execute === 'guest-get-time') return reply((Date.now() + aheadMs) * 1_000_000)
      void sleep(takes(asked.length)).then(() => {
        aheadMs = told / 1_000_000 - Date.now()
        reply({})
      })
    }
    return { asked, aheadMs: () => aheadMs }
  }
  const longAgo = 1_000_000_000_000

  test('sets the clock of a guest that is too busy to answer at first, and looks whether it is right', async () => {
    const clock = clockAt(longAgo)
    deafFor = 2
    await talker().setClock()
    expect(clock.asked).toEqual(['guest-set-time', 'guest-get-time'])
    expect(Math.abs(clock.aheadMs())).toBeLessThan(400)
  })

  test('sets the clock of a guest that takes up each talk late', async () => {
    const clock = clockAt(longAgo)
    syncsAfterMs = 700
    await talker().setClock()
    expect(clock.asked).toEqual(['guest-set-time', 'guest-get-time'])
  })

  test('sets the clock again of a guest that has taken the time late', async () => {
    const clock = clockAt(longAgo, (asked) => (asked === 1 ? 600 : 0))
    await talker().setClock()
    expect(clock.asked).toEqual(['guest-set-time', 'guest-get-time', 'guest-set-time', 'guest-get-time'])
    expect(Math.abs(clock.aheadMs())).toBeLessThan(400)
  })

  describe('after a minute', () => {
    beforeEach(() => {
      let passed = 0
      vi.spyOn(performance, 'now').mockImplementation(() => (passed += 100_000))
    })
    afterEach(() => {
      vi.restoreAllMocks()
    })

    test('a guest that listens is still asked', async () => {
      const clock = clockAt(longAgo)
      deafFor = 2
      await talker().setClock()
      expect(clock.asked).toEqual(['guest-set-time', 'guest-get-time'])
    })

    test('a guest without an agent is given up', async () => {
      const clock = clockAt(longAgo)
      await talker(false).setClock()
      expect(clock.asked).toEqual([])
    })

    test('a guest that refuses is given up', async () => {
      let asked = 0
      answer = () => {
        asked += 1
        guest?.write('{"error":{"class":"CommandNotFound"}}\n')
      }
      await talker().setClock()
      expect(asked).toBe(1)
    })
  })

  test('reads nothing while nothing is asked', async () => {
    const socket = await line()
    const agent = await talkTo(socket)
    const before = socket.bytesRead
    for (let count = 0; count < 64; count += 1) guest?.write('{"noise":1}\n'.repeat(4096))
    await sleep(100)
    expect(socket.bytesRead - before).toBeLessThan(256 * 1024)
    expect(guest?.writableLength).toBeGreaterThan(1024 * 1024)
    agent?.close()
  })
})

test('traffic is what all interfaces but the loopback have moved', () => {
  const interfaces = [
    { name: 'lo', statistics: { 'rx-bytes': 1000, 'tx-bytes': 1000 } },
    { name: 'eth0', statistics: { 'rx-bytes': 5, 'tx-bytes': 7 } },
    { name: 'docker0' },
    { name: 'eth1', statistics: { 'rx-bytes': 1, 'tx-bytes': 2 } },
  ]
  expect(trafficIn(interfaces)).toEqual({ received: 6, sent: 9 })
})

test.each([1e308, -1, 0.5, 2 ** 60, '5', null, {}])('traffic of %j bytes is not believed', (lie) => {
  expect(trafficIn([{ name: 'eth0', statistics: { 'rx-bytes': lie, 'tx-bytes': 1 } }])).toBe(null)
  expect(trafficIn(lie)).toBe(null)
})
