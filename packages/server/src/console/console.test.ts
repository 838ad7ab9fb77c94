import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConsoleSaying, consoleBeatMs, consoleTailBytes, fillPath, routes } from '@slipway/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { testApp } from '../app.test-kit.ts'
import { openDeskAt } from '../desk.test-kit.ts'

const app = await testApp({ startsAtOnce: 1 })
const { ada, params, runningVm: newVm } = await openDeskAt(app, (ms) => app.clock.advance(ms))
const { projectId } = params
const bob = await app.signedIn('Bob')
await app.app.listen({ host: '127.0.0.1', port: 0 })
const port = () => (app.app.server.address() as AddressInfo).port

const power = async (vmId: string, verb: 'start' | 'stop' | 'restart') => {
  await ada.raw('POST', `/api/projects/${projectId}/vms/${vmId}/${verb}`, {})
  await app.clock.advance(60_000)
}
const pathOf = (vmId: string) => fillPath(routes['vm.console'].split(' ')[1] ?? '', { projectId, vmId })

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let look = 0; look < 400; look++) {
    if (holds()) return
    await sleep(5)
  }
  throw new Error(`it never came: ${what}`)
}

/** A window on a console, at most until the test is done: what it was sent, in order. */
function look(vmId: string, { from, cookie = ada.cookie, headers = {} }: Looking = {}) {
  const url = `ws://127.0.0.1:${port()}${pathOf(vmId)}${from === undefined ? '' : `?from=${from}`}`
  const socket = new WebSocket(url, { headers: { ...(cookie && { cookie }), ...headers } })
  onTestFinished(() => socket.terminate())
  const seen = {
    socket,
    bytes: Buffer.alloc(0),
    sayings: [] as ConsoleSaying[],
    offset: 0,
    closed: null as number | null,
    refused: null as { status: number; message: string } | null,
    text: () => seen.bytes.toString('utf8'),
    of: <T extends ConsoleSaying['type']>(type: T) =>
      seen.sayings.filter((one): one is Extract<ConsoleSaying, { type: T }> => one.type === type),
    type: (text: string) => socket.send(Buffer.from(text)),
  }
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      seen.bytes = Buffer.concat([seen.bytes, data])
      seen.offset += data.length
    } else {
      const saying = ConsoleSaying.parse(JSON.parse(data.toString()))
      if (saying.type === 'at') seen.offset = saying.offset
      seen.sayings.push(saying)
    }
  })
  socket.on('close', (code) => {
    seen.closed = code
  })
  socket.on('error', () => {})
  socket.on('unexpected-response', (_, response) => {
    let body = ''
    response.on('data', (chunk: Buffer) => {
      body += chunk.toString()
    })
    response.on('end', () => {
      const { message } = JSON.parse(body) as { message: string }
      seen.refused = { status: response.statusCode ?? 0, message }
    })
  })
  return seen
}
interface Looking {
  from?: number
  cookie?: string | undefined
  headers?: Record<string, string>
}
const live = async (vmId: string, options?: Looking) => {
  const window = look(vmId, options)
  await until('live', () => window.of('live').length > 0)
  return window
}

describe('a console', () => {
  it('shows what was printed since the VM came up, takes what is typed, and shows it to everybody', async () => {
    const vm = await newVm('talk')
    const one = await live(vm)
    expect(one.text()).toContain('root (automatic login)')
    expect(one.of('note').map(({ note, offset }) => [note, offset])).toEqual([['started', 0]])
    const two = await live(vm)
    one.type('echo hello there\r')
    await until('echo', () => one.text().includes('\nhello there\r\n') && two.text() === one.text())
    expect(one.of('viewers').at(-1)?.viewers).toEqual([
      { name: 'Ada Lovelace', you: true },
      { name: 'Ada Lovelace', you: false },
    ])
    two.socket.close()
    await until('one viewer', () => one.of('viewers').at(-1)?.viewers.length === 1)
  })

  it('goes on from an offset without a lost or doubled byte, also over a restart of the server', async () => {
    const vm = await newVm('resume')
    const before = await live(vm)
    before.type('seq 100\r')
    await until('100', () => before.text().includes('\n100\r\n'))
    before.socket.close()
    const transcript = before.bytes
    app.engine.print(vm, 'while nobody looked\r\n')
    const after = await live(vm, { from: before.offset })
    expect(after.text()).toBe('while nobody looked\r\n')
    after.socket.close()
    await app.restart()
    await app.app.listen({ host: '127.0.0.1', port: 0 })
    const again = await live(vm, { from: after.offset })
    expect(again.text()).toBe('')
    const whole = await live(vm, { from: 0 })
    expect(whole.bytes.equals(Buffer.concat([transcript, after.bytes]))).toBe(true)
  })

  it('begins with the last 64 KiB, and says from which byte on', async () => {
    const vm = await newVm('long')
    app.engine.print(vm, `${'x'.repeat(99)}\n`.repeat(1000))
    const window = await live(vm)
    expect(window.bytes.length).toBe(consoleTailBytes)
    const whole = await live(vm, { from: 0 })
    expect(window.of('at')).toEqual([{ type: 'at', offset: whole.bytes.length - consoleTailBytes }])
    expect(whole.bytes.subarray(-consoleTailBytes).equals(window.bytes)).toBe(true)
  })

  it('says where it goes on when older output was forgotten', async () => {
    const vm = await newVm('forgetful')
    app.engine.print(vm, `${'y'.repeat(999)}\n`.repeat(1000))
    const window = await live(vm, { from: 0 })
    expect(window.of('at')[0]?.offset).toBeGreaterThan(0)
    expect(window.bytes.length).toBe(256 * 1024)
  })

  it('closes with 1000 when the guest ends, and the next one goes on where that one ended', async () => {
    const vm = await newVm('cycle')
    const window = await live(vm)
    await power(vm, 'stop')
    await until('close', () => window.closed !== null)
    expect(window.closed).toBe(1000)
    expect(window.of('note').map(({ note }) => note)).toEqual(['started', 'ended'])
    const refused = look(vm)
    await until('refusal', () => refused.refused !== null)
    expect(refused.refused).toEqual({ status: 409, message: 'VM is not running' })
    await power(vm, 'start')
    const next = await live(vm, { from: window.offset })
    expect(next.of('note').map(({ note }) => note)).toEqual(['ended', 'started'])
    expect(next.text()).toContain('Linux version')
    next.type('reboot\r')
    await until('note', () => next.of('note').some(({ note }) => note === 'rebooted'))
    expect(next.closed).toBeNull()
  })

  it('closes with 1000 when the guest that it waits for is called off before it comes', async () => {
    const [vm, other] = [await newVm('awaited'), await newVm('other')]
    for (const one of [vm, other]) await power(one, 'stop')
    const change = (id: string, verb: string, body = {}) =>
      ada.raw('POST', `/api/projects/${projectId}/vms/${id}/${verb}`, body)
    for (const one of [other, vm]) await change(one, 'start')
    await app.idle()
    const window = await live(vm)
    expect(window.of('note').at(-1)?.note).toBe('ended')
    await app.clock.advance(1_000)
    expect(window.closed).toBeNull()
    await change(vm, 'stop', { force: true })
    await app.clock.advance(2_000)
    await until('close', () => window.closed !== null)
    expect(window.closed).toBe(1000)
  })

  it('keeps a slow viewer apart from the others', async () => {
    const vm = await newVm('crowd')
    const slow = await live(vm)
    slow.socket.pause()
    const quick = await live(vm)
    quick.type('seq 30000\r')
    await until('30000', () => quick.text().includes('\n30000\r\n'))
    slow.socket.resume()
    await until('all of it', () => slow.text().includes('\n30000\r\n'))
    expect(slow.text()).toBe(quick.text())
  })

  it('gives twenty viewers that come and go at random the same bytes', async () => {
    const vm = await newVm('twenty')
    const first = await live(vm)
    const start = first.offset
    first.socket.close()
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
      return seed % below
    }
    let done = false
    const printing = (async () => {
      for (let i = 0; i < 400; i++) {
        app.engine.print(vm, `${i} ${'æ\x1b[1m'.repeat(random(60))}\r\n`)
        await sleep(1)
      }
      done = true
    })()
    const viewers = Array.from({ length: 20 }, async () => {
      let transcript = Buffer.alloc(0)
      let offset = start
      let joined = 0
      while (!done || joined < 2) {
        const window = await live(vm, { from: offset })
        joined++
        await sleep(random(60))
        // Cut in the middle of whatever it was being sent; what has arrived counts.
        window.socket.terminate()
        transcript = Buffer.concat([transcript, window.bytes])
        offset = window.offset
      }
      const last = await live(vm, { from: offset })
      last.socket.close()
      return Buffer.concat([transcript, last.bytes])
    })
    await printing
    const transcripts = await Promise.all(viewers)
    const whole = await live(vm, { from: start })
    whole.socket.close()
    expect(whole.bytes.length).toBeGreaterThan(50_000)
    for (const transcript of transcripts) expect(transcript.equals(whole.bytes)).toBe(true)
  })

  it('closes with 1008 when its session ends, and leaves those of other sessions open', async () => {
    const vm = await newVm('session')
    const stays = await live(vm)
    const { email, password } = ada
    const { cookie } = await app.client().raw('POST', '/api/auth/signin', { email, password })
    const window = await live(vm, { cookie })
    await app.client(cookie).raw('POST', '/api/auth/signout')
    await until('close', () => window.closed !== null)
    expect(window.closed).toBe(1008)
    expect(stays.closed).toBeNull()
  })

  it('confirms what the guest accepted, and says something every few seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    try {
      const vm = await newVm('beat')
      const window = await live(vm)
      window.type('echo one\r')
      window.type('echo two\r')
      await until('confirmation', () => window.of('beat').at(-1)?.typed === 18)
      const before = window.of('beat').length
      vi.advanceTimersByTime(consoleBeatMs)
      await until('heartbeat', () => window.of('beat').length > before)
      expect(window.of('beat').at(-1)?.typed).toBe(18)
    } finally {
      vi.useRealTimers()
    }
  })

  it('takes a size, and passes over what it does not understand', async () => {
    const vm = await newVm('size')
    const window = await live(vm)
    const sizes = ['{"type":"resize","cols":80,"rows":24}', '{"type":"resize","cols":-1,"rows":1e9}']
    for (const text of [...sizes, '{"type":', 'null']) window.socket.send(text)
    window.type('echo still here\r')
    await until('echo', () => window.text().includes('\nstill here\r\n'))
  })
})

describe('who looked', () => {
  interface Access {
    message: string
    actor: { name: string }
  }
  const accessTo = async (vm: string) => {
    const { body } = await ada.raw('GET', `/api/projects/${projectId}/activity?kind=access&object_id=${vm}`)
    return (body as { entries: Access[] }).entries
  }
  const glance = async (vm: string, options?: Looking) => (await live(vm, options)).socket.close()

  it('is in the log of the project once, however often a page is reloaded', async () => {
    const vm = await newVm('watched')
    for (let i = 0; i < 3; i++) await glance(vm)
    const once = { message: 'Opened the console of VM watched', actor: { name: 'Ada Lovelace' } }
    expect(await accessTo(vm)).toMatchObject([once])
    await app.clock.advance(11 * 60_000)
    await glance(vm)
    expect(await accessTo(vm)).toHaveLength(2)
  })

  it('is in the log also when somebody looked while the clock was ahead', async () => {
    const vm = await newVm('ahead')
    const now = app.clock.now()
    app.clock.set(now + 5 * 60 * 60_000)
    await glance(vm)
    app.clock.set(now)
    for (let i = 0; i < 2; i++) await glance(vm)
    expect(await accessTo(vm)).toHaveLength(2)
  })

  it('is in the log whatever the client says, and once on all servers', async () => {
    const vm = await newVm('claimed')
    const entries = async () => (await accessTo(vm)).map(({ message }) => message)
    for (let i = 0; i < 2; i++) await glance(vm, { from: 0 })
    expect(await entries()).toEqual(['Opened the console of VM claimed'])
    const logPath = fillPath(routes['vm.consoleLog'].split(' ')[1] ?? '', { projectId, vmId: vm })
    const beside = (await app.serverBeside()).app
    for (const { inject } of [app.app, beside, app.app])
      expect((await inject({ url: logPath, headers: { cookie: ada.cookie ?? '' } })).statusCode).toBe(200)
    expect(await entries()).toEqual([
      'Read the console output of VM claimed',
      'Opened the console of VM claimed',
    ])
  })
})

describe('a console is refused before it opens', () => {
  it.each([
    ['401 without a session', { cookie: '' }, 401, 'Not authenticated'],
    ["404 for another user's VM", { cookie: bob.cookie }, 404, 'Project not found'],
    ['403 from another site', { headers: { origin: 'http://evil.test' } }, 403, 'Cross-site request refused'],
  ])('%s', async (_, options, status, message) => {
    const vm = await newVm('mine')
    const window = look(vm, options)
    await until('refusal', () => window.refused !== null)
    expect(window.refused).toEqual({ status, message })
  })

  it('404 for a VM that is not there', async () => {
    const window = look('nobody-has-this')
    await until('refusal', () => window.refused !== null)
    expect(window.refused).toMatchObject({ status: 404, message: 'VM not found' })
  })

  it('426 for a plain request, and 409 for a screen that is not there', async () => {
    const vm = await newVm('plain')
    expect(await ada.raw('GET', pathOf(vm))).toMatchObject({ status: 426 })
    const url = `ws://127.0.0.1:${port()}${pathOf(vm)}/screen`
    const socket = new WebSocket(url, { headers: { cookie: ada.cookie ?? '' } })
    socket.on('error', () => {})
    const status = await new Promise((resolve) =>
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode)),
    )
    expect(status).toBe(409)
  })
})

describe('the log of a console', () => {
  it('is everything that is kept, as a file, also when the VM is off', async () => {
    const vm = await newVm('to keep')
    await power(vm, 'stop')
    const headers = { cookie: ada.cookie ?? '' }
    const response = await app.app.inject({ method: 'GET', url: `${pathOf(vm)}/log`, headers })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(response.headers['content-disposition']).toBe('attachment; filename="to-keep-console.log"')
    expect(response.body).toContain('root (automatic login)')
  })
})
