/** The other ways to shared ports: by name below a domain, TCP, and through several servers; and what the console refuses. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { accountApi, eventApi, type ShareCreate, shareApi } from '@slipway/contract'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { TestAppOptions } from '../app.test-kit.ts'
import { type Desk, openDesk } from '../desk.test-kit.ts'

let desk: Desk
afterEach(() => desk?.close())

const byName = { domain: 'apps.slipway.test', httpPorts: null, tcpPorts: null }

async function portOf({ app }: Pick<Desk['app'], 'app'>): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}
const unshare = (shareId: string) => desk.ada.call(shareApi.delete, { params: { ...desk.params, shareId } })
/** They are stored after a while. */
async function expectVisits(visits: number): Promise<void> {
  await desk.app.clock.advance(10_000)
  await vi.waitFor(async () =>
    expect((await desk.ada.call(shareApi.list, { params: desk.params })).body).toMatchObject([{ visits }]),
  )
}

async function open(options: TestAppOptions) {
  desk = await openDesk(options)
  const vmId = await desk.runningVm('web')
  const port = await portOf(desk.app)
  const share = async (body: Partial<ShareCreate> = {}) => {
    const params = { ...desk.params, vmId }
    const { body: made } = await desk.ada.call(shareApi.create, { params, body: { port: 3000, ...body } })
    return made
  }
  return { vmId, port, share }
}

/** Asks a server under a host name. */
async function under(port: number, host: string, path = '/', headers: Record<string, string> = {}) {
  const request = get({ host: '127.0.0.1', port, path, headers: { host, ...headers } })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let body = ''
  for await (const part of response.setEncoding('utf8')) body += part
  return { status: response.statusCode, headers: response.headers, body }
}
const shown = (port: number, host: string) =>
  vi.waitFor(async () => expect((await under(port, host)).status).toBe(200))

describe('below a domain', () => {
  it('a share has its own name at the port of the console, and the console keeps all others', async () => {
    const { port, share, vmId } = await open({ share: byName })
    const { address } = await share({ audience: 'everybody' })
    const { host } = new URL(address)
    expect(host).toBe('web-p-3000.apps.slipway.test')
    await shown(port, host)
    expect((await under(port, `${host.toUpperCase()}:8443`)).body).toContain(vmId)
    const gone = await under(port, 'other-p-1.apps.slipway.test', '/', { accept: 'text/html' })
    expect([gone.status, gone.body]).toEqual([404, expect.stringContaining('Nothing is shared here')])
    expect((await under(port, 'a.b.apps.slipway.test')).status).toBe(404)
    expect((await under(port, 'apps.slipway.test')).status).toBe(421)
    expect((await under(port, 'evilapps.slipway.test')).status).toBe(421)
    expect(await under(port, 'slipway.test', '/api/auth/me')).toMatchObject({ status: 401 })
    // No call of the console answers there, with or without its cookie.
    const cookie = desk.ada.cookie ?? ''
    expect((await under(port, host, '/api/projects', { cookie })).status).toBe(404)
    const socket = new WebSocket(`ws://127.0.0.1:${port}/`, { headers: { host } })
    await once(socket, 'open')
    socket.terminate()
  })

  it('hands over from the console to the name', async () => {
    const { port, share } = await open({ share: byName })
    const { id, address } = await share()
    const cookie = desk.ada.cookie ?? ''
    const led = await under(port, 'slipway.test', `/share/open?share=${id}&path=/headers`, { cookie })
    const there = new URL(led.headers.location ?? '')
    expect(there.origin).toBe(new URL(address).origin)
    const entered = await under(port, there.host, `${there.pathname}${there.search}`)
    expect([entered.status, entered.headers.location]).toEqual([303, '/headers'])
    expect(entered.headers['set-cookie']?.[0]).not.toMatch(/domain/i)
  })

  it('still bounds the time in which a request to the console has to arrive', async () => {
    const { port } = await open({ share: byName })
    const socket = connect({ host: '127.0.0.1', port })
    let heard = ''
    socket
      .on('error', () => {})
      .on('data', (part) => {
        heard += part
      })
    const closed = once(socket, 'close')
    const asked = once(desk.app.app.server, 'request')
    socket.write(
      'POST /api/auth/signin HTTP/1.1\r\nHost: slipway.test\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    )
    await asked
    expect(heard).toBe('')
    await desk.app.clock.advance(60_000)
    await closed
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('TCP', () => {
  it('is carried both ways, half-closed too, counted, and cut when it is taken back', async () => {
    const first = await freePort()
    const { share } = await open({ share: { ...byName, tcpPorts: { first, last: first } } })
    const database = createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {})
      socket.on('end', () => socket.end('bye')).on('data', (part) => socket.write(part))
    }).listen(0, '127.0.0.1')
    await once(database, 'listening')
    const at = { ip: '127.0.0.1', port: (database.address() as AddressInfo).port }
    vi.spyOn(desk.app.engine, 'dial').mockResolvedValue({ at })
    const { id, address } = await share({ port: 5432, kind: 'tcp', audience: 'everybody' })
    expect(address).toBe(`slipway.test:${first}`)
    const dial = () =>
      vi.waitFor(async () => {
        const socket = connect({ host: '127.0.0.1', port: first, allowHalfOpen: true })
        await once(socket, 'connect')
        return socket
      })
    const one = await dial()
    let heard = ''
    one.setEncoding('utf8').on('data', (part) => {
      heard += part
    })
    one.end('hello ')
    await once(one, 'end')
    expect(heard).toBe('hello bye')
    one.destroy()
    const two = await dial()
    two.write('x')
    await once(two, 'data')
    await expectVisits(2)
    two.on('error', () => {})
    await Promise.all([once(two, 'end'), unshare(id)])
    database.close()
  })
})

describe('several servers', () => {
  it('all serve a share, take it back at once, and count together', async () => {
    const { port, share } = await open({ share: byName })
    const other = await desk.app.serverBeside()
    const ports = [port, await portOf(other)]
    const { id, address } = await share({ audience: 'everybody' })
    const { host } = new URL(address)
    for (const one of ports) await shown(one, host)
    const page = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    for (const one of ports) expect((await under(one, host, '/', page)).status).toBe(200)
    await expectVisits(2)
    const socket = new WebSocket(`ws://127.0.0.1:${ports[1]}/`, { headers: { host } })
    await once(socket, 'open')
    await Promise.all([once(socket, 'close'), unshare(id)])
    for (const one of ports) await vi.waitFor(async () => expect((await under(one, host)).status).toBe(404))
  })

  it('know what they did not hear', async () => {
    const { share } = await open({ share: byName })
    const other = await desk.app.serverBeside()
    const port = await portOf(other)
    let address = ''
    await desk.app.quietly(async () => {
      address = (await share({ audience: 'everybody' })).address
    })
    await shown(port, new URL(address).host)
  })
})

describe('the console refuses what comes from the origin of a share', () => {
  const origins: Record<string, string>[] = [
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'cross-site' },
    // Over plain http browsers send no Sec-Fetch headers.
    { origin: 'http://slipway.test:8101' },
    { origin: 'http://web-p-3000.apps.slipway.test' },
    { origin: 'null' },
  ]
  it('calls that change, calls that read, and event streams', async () => {
    await open({ share: byName })
    for (const headers of origins) {
      for (const url of [accountApi.me.path, '/api/projects', eventApi.streamAll.path])
        expect((await desk.ada.raw('GET', url, undefined, headers)).status, url).toBe(403)
      expect((await desk.ada.raw('POST', '/api/projects', { name: 'x' }, headers)).status).toBe(403)
    }
    for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])
      expect((await desk.ada.raw('GET', '/api/projects', undefined, headers)).status).toBe(200)
  })

  it('and tells the guest nothing of the request it refuses', async () => {
    const { port, share } = await open({ share: byName })
    const { address } = await share({ audience: 'everybody' })
    await shown(port, new URL(address).host)
    const dial = vi.spyOn(desk.app.engine, 'dial')
    expect((await under(port, new URL(address).host, '/.slipway/anything')).status).toBe(404)
    expect(dial).not.toHaveBeenCalled()
  })
})
