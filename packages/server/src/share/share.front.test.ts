/** Shared ports as browsers and programs open them: over loopback, with real sockets, to simulated guests. */
import { once } from 'node:events'
import { type Agent, request as ask, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { accountApi, projectMemberApi, type ShareCreate, shareApi } from '@slipway/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { lastMail, tokenOf } from '../app.test-kit.ts'
import { type Desk, openDesk } from '../desk.test-kit.ts'
import type { Line } from '../engine/engine.ts'
import { freePorts } from './share.test-kit.ts'

let desk: Desk
let vmId: string
let consolePort: number
beforeEach(async () => {
  desk = await openDesk({ share: { domain: null, httpPorts: await freePorts(40), tcpPorts: null } })
  vmId = await desk.runningVm('web')
  await desk.app.app.listen({ host: '127.0.0.1', port: 0 })
  consolePort = (desk.app.app.server.address() as AddressInfo).port
})
afterEach(() => desk.close())

async function share(body: Partial<ShareCreate> = {}) {
  const answer = await desk.ada.call(shareApi.create, {
    params: { ...desk.params, vmId },
    body: { port: 3000, ...body },
  })
  expect(answer.status).toBe(201)
  const url = new URL(answer.body.address)
  await listening(Number(url.port))
  return { ...answer.body, port: Number(url.port), path: `${url.pathname}${url.search}` }
}

const reaches = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
const listening = (port: number) => vi.waitFor(async () => expect(await reaches(port)).toBe(true))

interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}
const textOf = async (message: IncomingMessage): Promise<string> => {
  let text = ''
  for await (const part of message.setEncoding('utf8')) text += part
  return text
}
const fetchFrom = (
  port: number,
  path: string,
  init: { method?: string; headers?: Record<string, string>; body?: Readable | string; agent?: Agent } = {},
) =>
  new Promise<Answer>((resolve, reject) => {
    const { method = 'GET', headers = {}, body = '', agent } = init
    const request = ask({ host: '127.0.0.1', port, path, method, headers, ...(agent && { agent }) })
    request.once('error', reject)
    request.once('response', (response) =>
      textOf(response).then(
        (text) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
        reject,
      ),
    )
    if (typeof body === 'string') request.end(body)
    else body.pipe(request)
  })

/** What a browser sends when somebody opens an address. */
const opening = { accept: 'text/html,*/*', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const visit = (port: number, path: string, headers: Record<string, string> = {}) =>
  fetchFrom(port, path, { headers: { ...opening, ...headers } })

const cookieIn = (answer: Answer): string => answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''

/** Opens a share as a member does, its owner unless another is given, over the console; answers with the cookie. */
async function handedOver(port: number, path = '/', member = desk.ada): Promise<string> {
  const first = await visit(port, path)
  expect(first.status).toBe(303)
  const there = new URL(first.headers.location ?? '')
  expect(there.origin).toBe('http://slipway.test')
  const led = await visit(consolePort, `${there.pathname}${there.search}`, { cookie: member.cookie ?? '' })
  expect(led.status).toBe(303)
  const back = new URL(led.headers.location ?? '')
  expect(back.origin).toBe(`http://slipway.test:${port}`)
  const entered = await visit(port, `${back.pathname}${back.search}`)
  expect([entered.status, entered.headers.location]).toEqual([303, path])
  return cookieIn(entered)
}

/** A WebSocket that was let in, and what tells of its end. */
async function enter(port: number, cookie?: string, path = '/') {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers: cookie ? { cookie } : {} })
  await once(socket, 'open')
  return { socket, closed: once(socket, 'close') }
}

/** A guest of our own in place of the web server of the simulated one. */
function guest(answer: (socket: import('node:net').Socket, head: string) => void) {
  const server = createServer((socket) => {
    let head = ''
    socket.on('error', () => {})
    socket.on('data', function read(part) {
      head += part.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      answer(socket, head)
    })
  }).listen(0, '127.0.0.1')
  const at = async (): Promise<Line> => ({
    at: { ip: '127.0.0.1', port: (server.address() as AddressInfo).port },
  })
  vi.spyOn(desk.app.engine, 'dial').mockImplementation(at)
  return server
}

describe('a share for everybody', () => {
  it('is passed on and counted once for each page that is opened', async () => {
    const { port } = await share({ audience: 'everybody' })
    const page = await visit(port, '/')
    expect([page.status, page.body]).toEqual([200, expect.stringContaining(`Hello from VM ${vmId}`)])
    expect((await fetchFrom(port, '/echo', { method: 'POST', body: 'hello' })).body).toBe('hello')
    expect((await visit(port, '/missing')).status).toBe(404)
    await visit(port, '/?again')
    await desk.app.clock.advance(10_000)
    await vi.waitFor(async () => {
      const [one] = (await desk.ada.call(shareApi.list, { params: desk.params })).body
      expect(one).toMatchObject({ visits: 2, last_visit_at: expect.any(String) })
    })
  })

  it('tells the guest who asks and by which name, and nothing of the console', async () => {
    const { port } = await share({ audience: 'everybody' })
    const { body } = await fetchFrom(port, '/headers', {
      headers: {
        host: 'apps.test:1',
        cookie: `a=1; slipway_session=secret; __Host-slipway_share_x=y; b=2`,
        'x-forwarded-for': '203.0.113.9',
        'x-forwarded-proto': 'https',
        forwarded: 'for=203.0.113.9',
        connection: 'keep-alive, X-Hop',
        'x-hop': '1',
        te: 'trailers',
      },
    })
    const raw = JSON.parse(body) as string[]
    const headers = Object.fromEntries(
      raw.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), raw[i + 1]]] : [])),
    )
    expect(headers).toMatchObject({
      host: 'apps.test:1',
      cookie: 'a=1; b=2',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'apps.test:1',
    })
    for (const gone of ['forwarded', 'x-hop', 'te']) expect(headers).not.toHaveProperty(gone)
  })

  it('carries a WebSocket both ways, and server-sent events as they come', async () => {
    const { port } = await share({ audience: 'everybody' })
    const { socket } = await enter(port, undefined, '/socket')
    socket.send('over the wire')
    expect(String((await once(socket, 'message'))[0])).toBe('over the wire')
    socket.close()

    const request = ask({ host: '127.0.0.1', port, path: '/events' }).end()
    const [events] = (await once(request, 'response')) as [IncomingMessage]
    const heard: string[] = []
    events.setEncoding('utf8').on('data', (part) => heard.push(part))
    await vi.waitFor(() => expect(heard.join('')).toBe('data: 0\n\n'))
    await desk.app.clock.advance(1_000)
    await vi.waitFor(() => expect(heard.join('')).toBe('data: 0\n\ndata: 1\n\n'))
    request.destroy()
  })

  it('streams 200 MB up: what the guest does not take waits at the sender', async () => {
    const total = 200 * 1024 * 1024
    let taken = 0
    let open = () => {}
    const server = guest((socket, head) => {
      socket.pause()
      taken += head.length - head.indexOf('\r\n\r\n') - 4
      open = () => {
        socket.on('data', (part) => {
          taken += part.length
          if (taken >= total) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nDone')
        })
        socket.resume()
      }
    })
    const { port } = await share({ audience: 'everybody' })
    let sent = 0
    const piece = Buffer.alloc(64 * 1024, 'x')
    async function* pieces() {
      for (; sent < total; sent += piece.length) yield piece
    }
    const answer = fetchFrom(port, '/upload', {
      method: 'POST',
      headers: { 'content-length': String(total) },
      body: Readable.from(pieces(), { objectMode: false, highWaterMark: 64 * 1024 }),
    })
    // It stands still while the guest reads nothing, after what fits into the buffers of sockets.
    let before = -1
    await vi.waitFor(
      () => {
        const stands = sent > 0 && sent === before
        before = sent
        expect(stands).toBe(true)
      },
      { timeout: 20_000, interval: 300 },
    )
    expect(sent).toBeLessThan(total / 4)
    open()
    expect(await answer).toMatchObject({ status: 200, body: 'Done' })
    server.close()
  })

  it('takes nothing from a hostile guest that reaches beyond its own origin', async () => {
    const hostile = [
      'Set-Cookie: slipway_session=theirs',
      'Clear-Site-Data: "*"',
      'Keep-Alive: timeout=99999',
    ]
    const lines = ['HTTP/1.1 200 OK', ...hostile, 'Set-Cookie: own=1', 'Content-Length: 2', '', 'ok']
    const server = guest((socket) => socket.end(lines.join('\r\n')))
    const { port } = await share({ audience: 'everybody' })
    const { status, headers, body } = await fetchFrom(port, '/')
    expect([status, body, headers['set-cookie']]).toEqual([200, 'ok', ['own=1']])
    expect(headers).not.toHaveProperty('clear-site-data')
    expect(headers['keep-alive']).not.toContain('99999')
    server.close()
  })

  it('breaks off where the guest does, and asks again where a kept connection had ended', async () => {
    let connections = 0
    const server = guest((socket, head) => {
      connections++
      if (head.startsWith('GET /whole')) {
        socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
        // It ends the connection when it is asked again.
        socket.once('data', () => socket.destroy())
      } else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort')
    })
    const { port } = await share({ audience: 'everybody' })
    await expect(fetchFrom(port, '/short')).rejects.toThrow()
    for (const times of [2, 3]) {
      expect(await fetchFrom(port, '/whole')).toMatchObject({ status: 200, body: 'ok' })
      expect(connections).toBe(times)
    }
    server.close()
  })

  it('gives out no service worker', async () => {
    const { port } = await share({ audience: 'everybody' })
    expect((await fetchFrom(port, '/', { headers: { 'service-worker': 'script' } })).status).toBe(403)
  })

  it('starts a VM that is suspended, and waits for it', async () => {
    const { port } = await share({ audience: 'everybody' })
    await desk.act('suspend', vmId)
    await desk.pass()
    expect((await desk.vm(vmId)).status).toBe('suspended')
    let isOver = false
    const visits = Promise.all([visit(port, '/'), visit(port, '/')]).finally(() => {
      isOver = true
    })
    while (!isOver) {
      await desk.pass(100)
      await sleep(5)
    }
    expect((await visits).map(({ status }) => status)).toEqual([200, 200])
    const { status, steps } = await desk.vm(vmId)
    expect(status).toBe('running')
    // Those of this start, and not of the one before.
    expect(steps.map(({ name }) => name)).toEqual(['resume', 'ready'])
  })

  it('says what is wrong: a VM that is stopped, a port where nobody listens, an answer that is none', async () => {
    const { port } = await share({ audience: 'everybody' })
    const closed = await share({ audience: 'everybody', port: 4000 })
    const nobody = await visit(closed.port, '/')
    expect([nobody.status, nobody.body]).toEqual([
      502,
      expect.stringContaining('Nothing responds on port 4000'),
    ])
    expect(nobody.headers['content-type']).toContain('text/html')
    await desk.act('stop', vmId)
    await desk.pass()
    const off = await visit(port, '/')
    expect([off.status, off.body]).toEqual([503, expect.stringContaining('VM web is not running')])
    const program = await fetchFrom(port, '/')
    expect([program.status, program.headers['content-type']]).toEqual([503, 'text/plain; charset=utf-8'])
    const server = guest((socket) => socket.end('SSH-2.0-dropbear\r\n'))
    expect((await visit(port, '/')).status).toBe(502)
    server.close()
  })

  it('waits two minutes for an answer, and no longer', async () => {
    const heard = Promise.withResolvers<void>()
    const server = guest(() => heard.resolve())
    const { port } = await share({ audience: 'everybody' })
    const answer = visit(port, '/')
    await heard.promise
    await desk.app.clock.advance(121_000)
    expect((await answer).status).toBe(504)
    server.close()
  })
})

describe('a share for the people of its project', () => {
  it('leads a browser over the console, once, and lets it in by a cookie of its own', async () => {
    const { id, port } = await share()
    const cookie = await handedOver(port, '/headers?x=1')
    expect(cookie).toContain(`slipway_share_${id.replaceAll('-', '')}=`)
    const inside = await fetchFrom(port, '/headers', { headers: { cookie } })
    expect(inside.status).toBe(200)
    expect(inside.body).not.toContain('slipway')
  })

  it('401 without a redirect for everything that is no page, and for WebSockets', async () => {
    const { port } = await share()
    for (const headers of [
      {},
      { accept: '*/*', 'sec-fetch-mode': 'cors' },
      { ...opening, 'sec-fetch-dest': 'iframe' },
    ])
      expect((await fetchFrom(port, '/', { headers: headers as Record<string, string> })).status).toBe(401)
    expect((await fetchFrom(port, '/', { method: 'POST', headers: opening })).status).toBe(401)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`)
    const [, refused] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    expect(refused.statusCode).toBe(401)
  })

  it('takes a code once, within a minute, and at its own share only', async () => {
    const { id, port } = await share()
    const other = await share({ port: 4000 })
    const code = async () => {
      const led = await visit(consolePort, `/share/open?share=${id}&path=/`, {
        cookie: desk.ada.cookie ?? '',
      })
      return new URL(led.headers.location ?? '').search
    }
    const first = await code()
    expect((await visit(other.port, `/.slipway/open${first}`)).status).toBe(403)
    expect((await visit(port, `/.slipway/open${first}`)).status).toBe(303)
    expect((await visit(port, `/.slipway/open${first}`)).status).toBe(403)
    const late = await code()
    await desk.app.clock.advance(61_000)
    expect((await visit(port, `/.slipway/open${late}`)).status).toBe(403)
  })

  it('gives codes to nobody else: strangers, people who are not signed in, scripts and frames', async () => {
    const { id } = await share()
    const bob = await desk.app.signedIn('Bob')
    const url = `/share/open?share=${id}&path=/`
    expect((await visit(consolePort, url, { cookie: bob.cookie ?? '' })).status).toBe(403)
    const nobody = await visit(consolePort, url)
    expect(nobody.status).toBe(401)
    // And brings them back.
    expect(nobody.body).toContain(`"/signin?${new URLSearchParams({ from: url })}"`)
    const cookie = desk.ada.cookie ?? ''
    expect((await visit(consolePort, url, { cookie, 'sec-fetch-mode': 'cors' })).status).toBe(403)
    expect((await visit(consolePort, url, { cookie, 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await visit(consolePort, '/share/open?share=nobody', { cookie })).status).toBe(403)
  })

  it('leads nowhere else, whatever path is asked for', async () => {
    const { id, port } = await share()
    for (const path of ['//evil.test/', '/\\evil.test/', 'https://evil.test/', '/\t/evil.test/']) {
      const query = new URLSearchParams({ share: id, path })
      const led = await visit(consolePort, `/share/open?${query}`, { cookie: desk.ada.cookie ?? '' })
      const { search } = new URL(led.headers.location ?? '')
      expect((await visit(port, `/.slipway/open${search}`)).headers.location).toBe('/')
    }
  })

  it('ends with the session, open WebSockets too', async () => {
    const { port } = await share()
    const cookie = await handedOver(port)
    const { closed } = await enter(port, cookie)
    await desk.ada.call(accountApi.signOut)
    await closed
    expect((await visit(port, '/', { cookie })).status).toBe(303)
  })
})

describe('a share for the members of a project', () => {
  it.each(['here', 'on another server'])(
    'ends with the membership that is taken %s, for that member alone',
    async (where) => {
      const { port } = await share()
      const bob = await desk.app.signedIn('Bob')
      const body = { email: bob.email, role: 'viewer' as const }
      await desk.ada.call(projectMemberApi.invite, { params: desk.params, body })
      await bob.call(projectMemberApi.accept, {
        body: { token: tokenOf(lastMail(desk.app.mails, bob.email)) },
      })
      const { id: memberId } = (await bob.call(accountApi.me)).body
      const owner = where === 'here' ? desk.ada : (await desk.app.serverBeside()).client(desk.ada.cookie)
      const open = async (member: typeof desk.ada) => {
        const cookie = await handedOver(port, '/', member)
        return { cookie, ...(await enter(port, cookie)) }
      }
      const [adas, bobs] = [await open(desk.ada), await open(bob)]
      const params = { ...desk.params, memberId }
      expect((await owner.call(projectMemberApi.remove, { params })).status).toBe(204)
      await bobs.closed
      expect((await visit(port, '/', { cookie: bobs.cookie })).status).toBe(303)
      expect(adas.socket.readyState).toBe(WebSocket.OPEN)
      adas.socket.terminate()
    },
  )
})

describe('a share for those who have the link', () => {
  it('takes the secret out of the address, in either form, and 403 without it', async () => {
    const { port, path } = await share({ audience: 'link' })
    const first = await visit(port, `/a${path.slice(1)}&b=2`)
    expect([first.status, first.headers.location]).toEqual([303, '/a?b=2'])
    const cookie = cookieIn(first)
    expect((await visit(port, '/', { cookie })).status).toBe(200)
    const secret = new URLSearchParams(path.slice(2)).get('slipway')
    const other = await visit(port, `/.slipway/${secret}`)
    expect([other.status, other.headers.location, cookieIn(other)]).toEqual([303, '/', cookie])
    for (const wrong of ['/', '/?slipway=guess', '/.slipway/guess', '/%2eslipway/guess'])
      expect((await visit(port, wrong)).status).toBe(403)
    expect((await visit(port, '/', { cookie: `${cookie}x` })).status).toBe(403)
  })

  it('lets programs in by the address itself, and the guest does not see the secret', async () => {
    const { port, path } = await share({ audience: 'link' })
    const answer = await fetchFrom(port, `/echo${path.slice(1)}`, { method: 'POST', body: 'hook' })
    expect([answer.status, answer.body]).toEqual([200, 'hook'])
    const { socket } = await enter(port, undefined, path)
    socket.terminate()
  })
})

describe('what is taken back', () => {
  it('ends an open WebSocket and the port itself', async () => {
    const { id, port } = await share({ audience: 'everybody' })
    const { closed } = await enter(port)
    await desk.ada.call(shareApi.delete, { params: { ...desk.params, shareId: id } })
    await closed
    await vi.waitFor(async () => expect(await reaches(port)).toBe(false))
  })

  it('by another audience ends what is open, and the cookies of before', async () => {
    const { id, port, path } = await share({ audience: 'link' })
    const cookie = cookieIn(await visit(port, path))
    const { closed } = await enter(port, cookie)
    const params = { ...desk.params, shareId: id }
    for (const audience of ['project', 'link'] as const)
      await desk.ada.call(shareApi.update, { params, body: { audience, expires_at: null } })
    await closed
    await vi.waitFor(async () => expect((await visit(port, '/', { cookie })).status).toBe(403))
  })

  it('by its end: closed at that time, and deleted soon after', async () => {
    const end = new Date(desk.app.clock.now() + 60_000).toISOString()
    const { port } = await share({ audience: 'everybody', expires_at: end })
    const { closed } = await enter(port)
    await desk.app.clock.advance(61_000)
    await closed
    await desk.app.clock.advance(31_000)
    await vi.waitFor(async () =>
      expect((await desk.ada.call(shareApi.list, { params: desk.params })).body).toEqual([]),
    )
  })

  it('not by a restart of the server: it is at the same port, and the same cookie opens it', async () => {
    const { port, path } = await share({ audience: 'link' })
    const cookie = cookieIn(await visit(port, path))
    await desk.app.restart()
    await listening(port)
    expect((await visit(port, '/', { cookie })).status).toBe(200)
  })
})
