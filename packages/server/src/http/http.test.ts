/** What comes before any feature: names, shapes of errors, connections. */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import websocket from '@fastify/websocket'
import fastify from 'fastify'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { testApp } from '../app.test-kit.ts'
import { clientNetworkOf, makeAddressList } from '../lib/client-address.ts'
import {
  type ConnectionLimits,
  closeServer,
  connectionLimits,
  connectionOptions,
  limitConnections,
} from './connections.ts'
import { isOwnHost } from './host-name.ts'

const app = await testApp({ share: { domain: null, httpPorts: null, tcpPorts: null } })
await app.app.listen({ host: '127.0.0.1', port: 0 })
const portOf = (server: { address: () => unknown }) => (server.address() as AddressInfo).port

/** Sends bytes as they are, and answers with all that comes back. */
async function send(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes: Buffer) => {
    answer += bytes.toString()
  })
  socket.on('error', () => {})
  socket.write(text)
  await new Promise((resolve) => socket.on('close', resolve))
  return answer
}

const head = (line: string, more = '') =>
  `${line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${more}\r\n`
const own = (text: string) => send(portOf(app.app.server), text)

/** Status and body of an answer. */
function read(answer: string): { status: number; body: unknown } {
  const [top = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(top.split(' ')[1]), body: JSON.parse(body) }
}

describe('a request that is not well-formed', () => {
  it.each([
    ['GET /../x', 404],
    ['GET //x', 404],
    ['GET /assets/%00.js', 404],
    ['GET /api/%00', 404],
    ['GET /%', 400],
    ['GET /api/%ff%fe/x', 400],
    ['GET /api/projects/%', 400],
    ['GET /8000*a', 404],
    ['GET /8000*a.js', 404],
    ['GET /api/projects/8000*a/vms', 404],
    ['GET /api/projects/200*a/vms', 404],
    ['GET /api/no-such-call', 404],
    ['POST /api/auth/me', 405],
    ['PATCH /api/projects', 405],
    ['GET /\u00e9', 400],
  ])('%s is %i in the shape of every error', async (line, status) => {
    const target = line.replace(/(\d+)\*a/, (_, times: string) => 'a'.repeat(Number(times)))
    const answer = read(await own(head(target)))
    expect(answer).toEqual({ status, body: { message: expect.stringMatching(/^[A-Z].+/) } })
  })

  it.each([
    ['malformed JSON', '{"email":', 'application/json', 400],
    ['no JSON', 'a=b', 'application/x-www-form-urlencoded', 415],
    ['too much', JSON.stringify({ name: 'x'.repeat(70_000) }), 'application/json', 413],
  ])('a body of %s is refused in the shape of every error', async (_, body, type, status) => {
    const more = `content-type: ${type}\r\ncontent-length: ${body.length}\r\n`
    const answer = read(await own(head('POST /api/auth/signin', more) + body))
    expect(answer).toEqual({ status, body: { message: expect.stringMatching(/^[A-Z].+/) } })
  })

  it.each([
    ['what is no HTTP', 'EHLO example.org\r\n\r\n', 400],
    ['headers without end', head('GET /', `x: ${'y'.repeat(70_000)}\r\n`), 431],
    ['an HTTP/1.1 request without a host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
  ])('%s is answered too', async (_, text, status) => {
    const answer = await own(text)
    expect(Number(answer.split(' ')[1])).toBe(status)
  })

  it('405 says which methods there are', async () => {
    const { status, headers } = await app.client().raw('DELETE', '/api/projects')
    expect([status, headers.allow]).toEqual([405, 'GET, POST'])
  })
})

describe('the name a request asks for', () => {
  const names = new Set(['vms.example.com'])

  it.each([
    'vms.example.com',
    'VMS.example.com:8080',
    'vms.example.com.',
    'localhost',
    'a.localhost:1',
    '127.0.0.1:8080',
    '192.168.1.7',
    '[::1]:8080',
    '[fe80::1]',
    undefined,
  ])('%s is ours', (name) => expect(isOwnHost(name, names)).toBe(true))

  it.each([
    'evil.example',
    'vms.example.com.evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil.example:127',
    'vms.example.com@evil.example',
    '[::1].evil.example',
    'a b',
  ])('%s is not ours', (name) => expect(isOwnHost(name, names)).toBe(false))

  it('421 for a name that was made to lead here, for whatever is asked', async () => {
    const ada = await app.signedIn()
    for (const url of ['/', '/api/host', '/api/projects', '/metrics']) {
      expect(await ada.raw('GET', url, undefined, { host: 'rebound.example' })).toMatchObject({
        status: 421,
        body: { message: expect.stringContaining('host name') },
      })
    }
    expect((await ada.raw('GET', '/api/projects', undefined, { host: 'slipway.test' })).status).toBe(200)
  })
})

describe('an address', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
  ])('%s counts as %s', (address, network) => expect(clientNetworkOf(address)).toBe(network))

  it('is found in a list of addresses, ranges and names', () => {
    const isIn = makeAddressList(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', 'loopback'])
    for (const one of ['192.0.2.1', '::ffff:192.0.2.1', '10.9.8.7', '2001:db8::9', '127.0.0.9', '::1']) {
      expect([one, isIn(one)]).toEqual([one, true])
    }
    for (const one of ['192.0.2.2', '11.0.0.1', '2001:db9::1', 'x'])
      expect([one, isIn(one)]).toEqual([one, false])
    expect(() => makeAddressList(['10.0.0.0/40'])).toThrow('neither an IP address nor a range')
    expect(() => makeAddressList(['proxy.lan'])).toThrow('proxy.lan')
  })
})

describe('a WebSocket upgrade', () => {
  it.each(['/', '/api/host', '/api/projects', '/no/such/page'])('is refused at %s', async (url) => {
    const more =
      'upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
    const answer = await own(`GET ${url} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\n${more}\r\n`)
    expect(read(answer)).toEqual({
      status: 400,
      body: { message: 'This URL does not accept WebSocket connections' },
    })
  })
})

describe('a connection', () => {
  const limits: ConnectionLimits = {
    requestMs: 200,
    headersMs: 100,
    silentMs: 400,
    checkEveryMs: 20,
    inAll: 20,
    ofOneAddress: 3,
  }

  async function serve(more: Partial<ConnectionLimits> = {}, isProxy = (_address: string) => false) {
    const server = fastify({ ...connectionOptions({ ...limits, ...more }), forceCloseConnections: true })
    limitConnections(server, { ...limits, ...more }, isProxy, pino({ level: 'silent' }))
    server.post('/', async () => 'taken')
    server.get('/stream', (_, reply) => {
      reply.hijack()
      reply.raw.writeHead(200)
      const beat = setInterval(() => reply.raw.write('beat\n'), 50)
      reply.raw.on('close', () => clearInterval(beat))
    })
    await server.listen({ host: '0.0.0.0', port: 0 })
    return server
  }

  it('408 ends one whose headers never end, or whose body never comes', async () => {
    const server = await serve()
    for (const text of [
      'GET / HTTP/1.1\r\nhost: a\r\nx: ',
      'POST / HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{',
    ]) {
      const answer = read(await send(portOf(server.server), text))
      expect(answer).toEqual({ status: 408, body: { message: 'The request did not arrive in time' } })
    }
    await server.close()
  })

  it('ends when it says nothing at all', async () => {
    const server = await serve()
    expect(await send(portOf(server.server), '')).toMatch(/^(HTTP\/1.1 408|$)/)
    await server.close()
  })

  it('lives on as a stream that says something, longer than a request may take', async () => {
    const server = await serve()
    const socket = connect(portOf(server.server), '127.0.0.1')
    let beats = 0
    socket.on('data', (bytes: Buffer) => {
      beats += bytes.toString().split('beat').length - 1
    })
    socket.write('GET /stream HTTP/1.1\r\nhost: a\r\n\r\n')
    // Three times as long as the longest of the limits: 24 beats.
    for (let look = 0; look < 200 && beats < 24; look++) await sleep(25)
    expect(beats).toBeGreaterThanOrEqual(24)
    expect(socket.destroyed).toBe(false)
    socket.destroy()
    await server.close()
  })

  it('of a proxy may be one of many', async () => {
    const slow = { ofOneAddress: 2, silentMs: 60_000, headersMs: 60_000, requestMs: 60_000 }
    const server = await serve(slow, makeAddressList(['127.0.0.0/8']))
    const many = Array.from({ length: 5 }, () => connect(portOf(server.server), '127.0.0.1'))
    await Promise.all(many.map((socket) => once(socket, 'connect')))
    const text = 'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'
    expect(await send(portOf(server.server), text)).toContain('taken')
    for (const socket of many) socket.destroy()
    await server.close()
  })

  it('does not hold up the end of the server when it says nothing', async () => {
    const server = fastify({ forceCloseConnections: 'idle' })
    await server.listen({ host: '127.0.0.1', port: 0 })
    const silent = connect(portOf(server.server), '127.0.0.1')
    silent.on('error', () => {})
    await once(silent, 'connect')
    const closed = new Promise((resolve) => silent.on('close', resolve))
    silent.resume()
    await closeServer(server, 50)
    await closed
  })

  it('does not hold up the end of the server as a WebSocket that never says goodbye', async () => {
    const server = fastify()
    // The types of ws do not know its time-out yet.
    const options = { maxPayload: 1_024, closeTimeout: 600_000 }
    await server.register(websocket, { options })
    server.get('/', { websocket: true }, () => {})
    await server.listen({ host: '127.0.0.1', port: 0 })
    const silent = connect(portOf(server.server), '127.0.0.1')
    silent.write(
      'GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n' +
        `sec-websocket-version: 13\r\nsec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n\r\n`,
    )
    await once(silent, 'data')
    const [client] = server.websocketServer.clients
    const ended = new Promise((resolve) => client?.once('close', resolve))
    await closeServer(server, 50)
    // Cut, not closed: no goodbye has come.
    expect(await ended).toBe(1006)
  })

  it('is one too many beyond the limit in all, and there is a place again once one ended', async () => {
    const server = await serve({ inAll: 2, silentMs: 60_000, headersMs: 60_000, requestMs: 60_000 })
    const port = portOf(server.server)
    const kept = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')]
    await Promise.all(kept.map((socket) => once(socket, 'connect')))
    const text = 'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'
    expect(await send(port, text)).toBe('')
    kept[0]?.destroy()
    let answer = ''
    for (let look = 0; look < 200 && answer === ''; look++) answer = await send(port, text)
    expect(answer).toContain('taken')
    kept[1]?.destroy()
    await server.close()
  })
})

describe('the server of the app', () => {
  const { server } = app.app

  /** A connection that comes from that address and says nothing; `said` is what it was told. */
  function arrive(remoteAddress: string) {
    let said = ''
    const socket = new Duplex({
      read: () => {},
      write(bytes, _, done) {
        said += bytes
        done()
      },
    })
    Object.assign(socket, { remoteAddress, destroySoon: () => socket.destroy() })
    server.emit('connection', socket)
    return { said: () => said, isOpen: () => !socket.destroyed, leave: () => socket.destroy() }
  }

  it('bounds the time of a request, the silence of a connection and how many there are', () => {
    expect(server).toMatchObject({
      requestTimeout: 30_000,
      headersTimeout: 15_000,
      timeout: 120_000,
      maxConnections: 5_000,
    })
  })

  it('503 is one too many of one address, but not of this machine, where a proxy may be', async () => {
    const fill = (address: string) =>
      Array.from({ length: connectionLimits.ofOneAddress }, () => arrive(address))
    const kept = [...fill('192.0.2.9'), ...fill('127.0.0.1'), ...fill('::1')]
    expect(kept.filter((one) => !one.isOpen())).toEqual([])
    const others = [arrive('192.0.2.10'), arrive('127.0.0.1'), arrive('::1')]
    expect(others.map((one) => [one.isOpen(), one.said()])).toEqual(Array(3).fill([true, '']))
    const tooMany = arrive('192.0.2.9')
    expect(tooMany.isOpen()).toBe(false)
    expect(read(tooMany.said())).toEqual({
      status: 503,
      body: { message: 'Too many connections from this address. Try again in a minute.' },
    })
    for (const one of [...kept, ...others]) one.leave()
    await sleep(0)
    const later = arrive('192.0.2.9')
    expect(later.isOpen()).toBe(true)
    later.leave()
  })
})

it('text with a null character is refused wherever it comes, whatever database is behind', async () => {
  const ada = await app.signedIn()
  const refused = { status: 400, body: { message: 'Use text without null characters' } }
  expect(await ada.raw('POST', '/api/projects', { name: 'p', description: 'a\0b' })).toMatchObject(refused)
  const stranger = { email: 'a\0@slipway.test', password: 'Correct-horse-1' }
  expect(await app.client().raw('POST', '/api/auth/signin', stranger)).toMatchObject(refused)
  expect(await ada.raw('GET', '/api/search?q=a%00b')).toMatchObject(refused)
  expect(await ada.raw('GET', '/api/projects/%00')).toMatchObject({ status: 404 })
})
