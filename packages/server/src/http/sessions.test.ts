/** Event streams and sockets: what stands on a session, what they may cost, and how they end. */
import { readdir } from 'node:fs/promises'
import { type ClientRequest, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiTokenApi, consoleApi, type Disk, eventApi, fillPath, projectApi } from '@slipway/contract'
import fastify from 'fastify'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { newPublicKey, testApp } from '../app.test-kit.ts'
import { makeEventBus } from '../event/event.bus.ts'
import { makeHandClock } from '../lib/hand-clock.ts'
import { silentLog } from '../lib/log.ts'
import { makeNoPeers } from '../lib/peers.ts'
import { makeEventStreams } from './events.ts'
import { lineLimits, makeSessionLines, type Session } from './sessions.ts'

const app = await testApp()
await app.app.listen({ host: '127.0.0.1', port: 0 })
const port = (app.app.server.address() as AddressInfo).port

type Person = Awaited<ReturnType<typeof app.signedIn>>

async function personWithProject(name: string): Promise<Person & { projectId: string }> {
  const person = await app.signedIn(name)
  return { ...person, projectId: await person.make('/api/projects', { name: 'p' }) }
}

/** The port of another server of the installation. */
async function portBeside(): Promise<number> {
  const beside = await app.serverBeside()
  await beside.app.listen({ host: '127.0.0.1', port: 0 })
  return (beside.app.server.address() as AddressInfo).port
}

const sessionOf = (id: string, account = id): Session => ({
  id,
  user: {
    id: account,
    name: 'N',
    email: 'e',
    email_verified: true,
    created_at: '',
    is_admin: false,
    delete_at: null,
  },
  scope: null,
  isProven: false,
})

interface Listening {
  cookie: string | undefined
  projectId: string
  at?: number
  /** An API token in place of a cookie. */
  token?: string
}

/** Opens an event stream and keeps what comes. */
async function listen({ cookie, projectId, at = port, token }: Listening) {
  const headers = token === undefined ? { cookie: cookie ?? '' } : { authorization: `Bearer ${token}` }
  const path = fillPath(eventApi.stream.path, { projectId })
  const seen = {
    status: 0,
    text: '',
    ended: false,
    headers: {} as IncomingMessage['headers'],
    stop: () => {},
  }
  const request: ClientRequest = get({ port: at, path, headers, agent: false })
  request.on('error', () => {
    seen.ended = true
  })
  await new Promise<void>((resolve) => {
    request.on('response', (response) => {
      seen.status = response.statusCode ?? 0
      seen.headers = response.headers
      response.on('data', (bytes: Buffer) => {
        seen.text += bytes.toString()
      })
      response.on('close', () => {
        seen.ended = true
      })
      response.on('error', () => {})
      resolve()
    })
  })
  seen.stop = () => request.destroy()
  return seen
}

describe('an event stream', () => {
  it('ends at once when its session ends, at every server, and those of other sessions live on', async () => {
    const ada = await personWithProject('Ada')
    const { cookie } = await app.signIn(ada)
    const elsewhere = await portBeside()
    const mine = [await listen(ada), await listen({ ...ada, at: elsewhere })]
    const others = [await listen({ ...ada, cookie }), await listen({ ...ada, cookie, at: elsewhere })]
    for (const { status } of [...mine, ...others]) expect(status).toBe(200)
    await ada.raw('POST', '/api/auth/signout')
    await expect.poll(() => mine.every(({ ended }) => ended)).toBe(true)
    for (const other of others) {
      expect(other.ended).toBe(false)
      other.stop()
    }
  })

  it('ends when its server missed what others told it: what the account may do can be among that', async () => {
    const ada = await personWithProject('Ada')
    const elsewhere = await listen({ ...ada, at: await portBeside() })
    expect(elsewhere).toMatchObject({ status: 200, ended: false })
    await app.quietly(() => ada.call(projectApi.create, { body: { name: 'meanwhile' } }))
    await expect.poll(() => elsewhere.ended).toBe(true)
  })

  it('ends at once, in every session, when the password is reset', async () => {
    const ada = await personWithProject('Ada')
    const streams = [await listen(ada), await listen(ada)]
    const reset = { token: await app.resetToken(ada.email), password: 'Brand-new-1' }
    await app.client().raw('POST', '/api/auth/reset-password', reset)
    await expect.poll(() => streams.every(({ ended }) => ended)).toBe(true)
  })

  it('ends soon when its account is disabled', async () => {
    const ada = await personWithProject('Ada')
    const mine = await listen(ada)
    await app.db.updateTable('account').set({ disabled_at: 'now' }).where('email', '=', ada.email).execute()
    await app.clock.advance(16_000)
    await expect.poll(() => mine.ended).toBe(true)
  })

  it('429 beyond the limit of an account, and a place again once one ended', async () => {
    const ada = await personWithProject('Ada')
    const bob = await personWithProject('Bob')
    const open = await Promise.all(Array.from({ length: lineLimits.stream.ofOneAccount }, () => listen(ada)))
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
    const refused = await listen(ada)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '30'])
    await expect.poll(() => refused.ended).toBe(true)
    expect(JSON.parse(refused.text)).toEqual({
      message: 'Too many live connections for this account. Close some tabs and try again.',
    })
    const others = await listen(bob)
    expect(others.status).toBe(200)
    open[0]?.stop()
    await expect
      .poll(async () => {
        const next = await listen(ada)
        next.stop()
        return next.status === 200
      })
      .toBe(true)
    for (const one of [...open, others]) one.stop()
  })

  /** Streams over a bus of their own, for everybody who asks. */
  async function serveStreams() {
    const bus = makeEventBus({ peers: makeNoPeers('e'), onFailure: () => expect.unreachable() })
    /** What the disk "x" is read as. */
    const disk = { read: (): object => ({ id: 'x' }) }
    // The parts of a disk do not matter here.
    bus.reads('disk', async () => [disk.read() as Disk])
    const lines = makeSessionLines(makeHandClock(), silentLog)
    const streams = makeEventStreams(bus, lines)
    const server = fastify()
    server.get('/*', async (_, reply) => {
      streams.open(
        reply,
        { topic: { projectId: 'p', by: null }, after: null },
        sessionOf('s'),
        async () => true,
      )
    })
    await server.listen({ host: '127.0.0.1', port: 0 })
    const { port } = server.server.address() as AddressInfo
    const connections = () =>
      new Promise<number>((resolve) => server.server.getConnections((_, count) => resolve(count)))
    return { server, bus, disk, lines, port, connections }
  }

  it('turns an event into text once, however many listen', async () => {
    const { server, bus, disk, port } = await serveStreams()
    const listening = await Promise.all(
      Array.from({ length: 10 }, () => listen({ cookie: '', projectId: 'p', at: port })),
    )
    const toJSON = vi.fn(() => ({ id: 'x' }))
    disk.read = () => ({ id: 'x', toJSON })
    bus.changed('disk', 'p', 'x')
    const text = 'event: disk\nid: e-1\ndata: {"id":"x"}\n\n'
    await expect.poll(() => listening.every((one) => one.text.includes(text))).toBe(true)
    expect(toJSON).toHaveBeenCalledTimes(1)
    for (const one of listening) one.stop()
    await expect.poll(() => !bus.isWatched('p')).toBe(true)
    await server.close()
  })

  it('is cut off when its client does not read', async () => {
    const { server, bus, disk, lines, port, connections } = await serveStreams()
    disk.read = () => ({ id: 'x', name: 'x'.repeat(512 * 1024) })
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
    await expect.poll(() => bus.isWatched('p')).toBe(true)
    socket.pause()
    await expect
      .poll(async () => {
        bus.changed('disk', 'p', 'x')
        return (await connections()) === 0
      })
      .toBe(true)
    expect([lines.count('stream'), bus.isWatched('p')]).toEqual([0, false])
    socket.destroy()
    await server.close()
  })
})

/** A running VM of somebody. */
async function vmOf(person: Person & { projectId: string }): Promise<string> {
  const key = { key_name: 'k', ssh_public_key: newPublicKey() }
  const ssh_key_id = await person.make('/api/user/ssh-keys', key)
  const vm = { name: 'seen', template_id: 'starter', ssh_key_id }
  const id = await person.make(`/api/projects/${person.projectId}/vms`, vm)
  await app.clock.advance(30_000)
  return id
}

describe('signing out', () => {
  it('with a made-up cookie has nothing checked and ends nothing', async () => {
    const ada = await personWithProject('Ada')
    const path = fillPath(consoleApi.open.path, { projectId: ada.projectId, vmId: await vmOf(ada) })
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie: ada.cookie ?? '' } })
    await new Promise((resolve) => socket.once('message', resolve))
    const stream = await listen(ada)
    const looks = vi.spyOn(app.db, 'selectFrom')
    // Both lines were opened a moment ago and are checked once by themselves, after their first word.
    await expect
      .poll(async () => {
        looks.mockClear()
        await sleep(100)
        return looks.mock.calls.length === 0
      })
      .toBe(true)
    for (let i = 0; i < 20; i++) {
      await app.client(`slipway_session=made-up-${i}`).raw('POST', '/api/auth/signout')
    }
    const looked = looks.mock.calls.length
    looks.mockRestore()
    expect(looked).toBe(0)
    expect([stream.ended, socket.readyState]).toEqual([false, WebSocket.OPEN])
    await ada.raw('POST', '/api/auth/signout')
    await expect.poll(() => stream.ended && socket.readyState === WebSocket.CLOSED).toBe(true)
  })
})

describe('the places of lines', () => {
  const lineOf = (isAllowed: () => Promise<boolean> = async () => true) => ({ isAllowed, end: vi.fn() })

  it('end only what stands on that session, or on that account', async () => {
    const lines = makeSessionLines(makeHandClock(), silentLog)
    const [one, two, other] = [lineOf(), lineOf(), lineOf()]
    lines.take('stream', sessionOf('s1', 'ada')).hold(one)
    lines.take('socket', sessionOf('s2', 'ada')).hold(two)
    lines.take('stream', sessionOf('s3', 'bob')).hold(other)
    lines.endSession('nobody')
    lines.endSession('s1')
    expect([one, two, other].map(({ end }) => end.mock.calls.length)).toEqual([1, 0, 0])
    lines.endAccount('ada')
    lines.endAccount('ada')
    expect([one, two, other].map(({ end }) => end.mock.calls.length)).toEqual([1, 1, 0])
    expect([lines.count('stream'), lines.count('socket')]).toEqual([1, 0])
  })

  it('end a line at once whose session ended before it was there', () => {
    const lines = makeSessionLines(makeHandClock(), silentLog)
    const place = lines.take('socket', sessionOf('s1'))
    lines.endSession('s1')
    const line = lineOf()
    place.hold(line)
    expect(line.end).toHaveBeenCalledTimes(1)
    expect(lines.count('socket')).toBe(0)
  })

  it('are limited in all, and given back', () => {
    const lines = makeSessionLines(makeHandClock(), silentLog)
    const places = Array.from({ length: lineLimits.stream.inAll }, (_, i) =>
      lines.take('stream', sessionOf(`s${i}`)),
    )
    expect(() => lines.take('stream', sessionOf('late'))).toThrow('The server has no free live connection.')
    places[0]?.leave()
    places[0]?.leave()
    lines.take('stream', sessionOf('late'))
    expect(() => lines.take('stream', sessionOf('later'))).toThrow()
  })

  it('are checked now and then, one check at a time, and a check that hangs stops nothing', async () => {
    const clock = makeHandClock()
    const lines = makeSessionLines(clock, silentLog)
    let asked = 0
    const hanging = lineOf(() => {
      asked++
      return new Promise(() => {})
    })
    lines.take('stream', sessionOf('s1')).hold(hanging)
    await clock.advance(9_000)
    expect(asked).toBe(1)
    await clock.advance(120_000)
    expect(asked).toBeGreaterThan(3)
    expect(asked).toBeLessThan(8)
    expect(hanging.end).not.toHaveBeenCalled()
    let isAllowed = true
    const ending = lineOf(async () => isAllowed)
    lines.take('stream', sessionOf('s2')).hold(ending)
    await clock.advance(60_000)
    expect(ending.end).not.toHaveBeenCalled()
    isAllowed = false
    await clock.advance(16_000)
    expect(ending.end).toHaveBeenCalledTimes(1)
  })
})

describe('what stands on an API token', () => {
  async function withToken() {
    const ada = await personWithProject('Ada')
    const body = { name: 'ci', access: 'write', project_ids: null } as const
    const created = (await ada.call(apiTokenApi.create, { body })).body
    const revoke = () => ada.call(apiTokenApi.delete, { params: { apiTokenId: created.id } })
    return { ada, token: created.token, revoke }
  }

  it('ends at once when the token is revoked, on all servers, and the session lives on', async () => {
    const elsewhere = await portBeside()
    const { ada, token, revoke } = await withToken()
    const streams = await Promise.all([
      listen({ ...ada, token }),
      listen({ ...ada, token, at: elsewhere }),
      listen(ada),
    ])
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    const vmId = await vmOf(ada)
    const path = fillPath(consoleApi.open.path, { projectId: ada.projectId, vmId })
    const console = new WebSocket(`ws://127.0.0.1:${elsewhere}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const closed = new Promise<number>((resolve) => console.on('close', resolve))
    await new Promise((resolve) => console.once('open', resolve))
    await revoke()
    await expect.poll(() => streams[0]?.ended === true && streams[1]?.ended === true).toBe(true)
    expect(await closed).toBe(1008)
    expect(streams[2]?.ended).toBe(false)
    streams[2]?.stop()
  })

  it('ends soon when the token expires', async () => {
    const { ada, token } = await withToken()
    const stream = await listen({ ...ada, token })
    await app.db.updateTable('api_token').set({ expires_at: '2000-01-01T00:00:00.000Z' }).execute()
    await app.clock.advance(16_000)
    await expect.poll(() => stream.ended).toBe(true)
  })
})

describe('a screen that is not opened after all', () => {
  it('is closed, whatever became of its upgrade', async () => {
    const ada = await personWithProject('Ada')
    const vmId = await vmOf(ada)
    const screens: Duplex[] = []
    const openScreen = vi.spyOn(app.engine, 'openScreen').mockImplementation(async () => {
      const screen = new Duplex({ read() {}, write: (_, __, done) => done() })
      screens.push(screen)
      return screen
    })
    const path = fillPath(consoleApi.screen.path, { projectId: ada.projectId, vmId })
    const descriptors = async () => (await readdir('/proc/self/fd')).length
    const before = await descriptors()
    const plain = `GET ${path} HTTP/1.1\r\nhost: localhost\r\ncookie: ${ada.cookie}\r\n`
    const upgrade = `${plain}connection: upgrade\r\nupgrade: websocket\r\n`
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=='
    for (let round = 0; round < 5; round++) {
      for (const text of [
        // No key, a wrong version, and no upgrade although it is named.
        `${upgrade}sec-websocket-version: 13\r\n\r\n`,
        `${upgrade}sec-websocket-version: 99\r\n${key}\r\n\r\n`,
        `${plain}connection: close\r\nupgrade: websocket\r\n\r\n`,
      ]) {
        const socket = connect(port, '127.0.0.1', () => socket.write(text))
        socket.resume()
        await new Promise((resolve) => socket.on('close', resolve))
      }
      // Gone before the answer.
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(`${upgrade}sec-websocket-version: 13\r\n${key}\r\n\r\n`)
        socket.destroy()
      })
      await new Promise((resolve) => socket.on('close', resolve))
    }
    expect(screens.length).toBeGreaterThan(0)
    await expect.poll(() => screens.every(({ destroyed }) => destroyed)).toBe(true)
    await expect.poll(async () => (await descriptors()) <= before).toBe(true)

    const whole = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: { cookie: ada.cookie ?? '' } })
    await new Promise((resolve) => whole.once('open', resolve))
    expect(screens.at(-1)?.destroyed).toBe(false)
    whole.close()
    await expect.poll(() => screens.at(-1)?.destroyed === true).toBe(true)
    openScreen.mockRestore()
  })
})
