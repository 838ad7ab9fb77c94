import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { directoryForEach } from '../../lib/directory.test-kit.ts'
import { lineSplitter } from '../../lib/line-splitter.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { connectQmp, listenFor, QmpClosed, type QmpEvent } from './qmp.ts'

const greeting = '{"QMP": {"version": {}, "capabilities": ["oob"]}}\r\n'

const anyLength = { maxBytes: Number.MAX_SAFE_INTEGER, onTooLong: () => {} }

describe('a QMP line', () => {
  const home = directoryForEach()
  let dir: string
  let server: Server
  let answer: (socket: Socket, request: { execute: string; id: number }) => unknown

  beforeEach(async () => {
    // Deeper than the address of a socket can hold.
    dir = join(home(), 'x'.repeat(100))
    await mkdir(dir)
    answer = (socket, { id }) => returns(socket, id)
    server = createServer()
  })
  afterEach(() => void server.close())

  const returns = (socket: Socket, id: number, result: unknown = {}) =>
    socket.write(`${JSON.stringify({ return: result, id })}\r\n`)

  async function serve(greet: boolean) {
    server.on('connection', (socket) => {
      if (greet) socket.write(greeting)
      socket.on('error', () => {})
      socket.on(
        'data',
        lineSplitter((line) => {
          const request = JSON.parse(line)
          if (request.execute === 'qmp_capabilities') returns(socket, request.id)
          else answer(socket, request)
        }, anyLength),
      )
    })
    const cwd = process.cwd()
    process.chdir(dir)
    server.listen('qmp.sock')
    await once(server, 'listening')
    process.chdir(cwd)
    return join(dir, 'qmp.sock')
  }

  test('answers each command with its own result, in whatever order they come', async () => {
    const waiting: { socket: Socket; id: number; execute: string }[] = []
    answer = (socket, { id, execute }) => {
      waiting.push({ socket, id, execute })
      if (waiting.length === 2) for (const one of waiting.reverse()) returns(one.socket, one.id, one.execute)
    }
    const qmp = await connectQmp(await serve(true), 5000)
    expect(await Promise.all([qmp.execute('first'), qmp.execute('second')])).toEqual(['first', 'second'])
    qmp.close()
  })

  test('tells events and errors as QEMU put them', async () => {
    answer = (socket, { id }) => {
      const timestamp = { seconds: 12, microseconds: 500_000 }
      socket.write(`${JSON.stringify({ timestamp, event: 'SHUTDOWN', data: { guest: true } })}\n`)
      socket.write(`${JSON.stringify({ error: { class: 'GenericError', desc: 'No such thing' }, id })}\n`)
    }
    const events: QmpEvent[] = []
    const qmp = await connectQmp(await serve(true), 5000)
    qmp.onEvent(['SHUTDOWN'], (event) => events.push(event))
    await expect(qmp.execute('anything')).rejects.toThrow('No such thing')
    expect(events).toEqual([{ event: 'SHUTDOWN', data: { guest: true }, at: 12_500 }])
    qmp.close()
  })

  test('ends a wait for events by one of them, also by one that came before, in time, and when work is ended', async () => {
    answer = (socket, { id, execute }) => {
      socket.write(`${JSON.stringify({ event: execute })}\n`)
      returns(socket, id)
    }
    const qmp = await connectQmp(await serve(true), 5000)
    const ended = new AbortController()
    const changes = listenFor(qmp, ended.signal, 'JOB_STATUS_CHANGE')
    const never = 2 ** 31 - 1
    const waiting = changes.next(never)
    await qmp.execute('JOB_STATUS_CHANGE')
    await waiting
    await qmp.execute('JOB_STATUS_CHANGE')
    await changes.next(never)
    let isOver = false
    const over = changes.next(never).then(() => {
      isOver = true
    })
    await qmp.execute('RESUME')
    expect(isOver).toBe(false)
    ended.abort()
    await over
    await changes.next(1)
    changes.stop()
    qmp.close()
  })

  test('does not wait for an answer for ever, and not as long for others while one is overdue', async () => {
    const unanswered: { socket: Socket; id: number }[] = []
    answer = (socket, { id }) => void unanswered.push({ socket, id })
    const qmp = await connectQmp(await serve(true), 5000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const late = async (withinMs: number | undefined, passMs: number) => {
      const refusal = qmp.execute('query-status', undefined, withinMs).catch(String)
      await vi.advanceTimersByTimeAsync(passMs)
      return refusal
    }
    expect(await late(50, 50)).toContain('did not finish within 0.05 s')
    expect(await late(undefined, 20_000)).toContain('within 20 s')
    expect(await late(undefined, 1000)).toContain('within 1 s')
    vi.useRealTimers()
    while (unanswered.length < 3) await sleep(5)
    // It goes on: what it answers now was given up, and is no answer to anything else.
    for (const { socket, id } of unanswered) returns(socket, id, 'late')
    answer = (socket, { id }) => returns(socket, id, 'now')
    expect(await qmp.execute('query-status')).toBe('now')
    qmp.close()
  })

  test('is ended by a line without end', async () => {
    answer = (socket) => socket.write('x'.repeat(2 * 1024 * 1024))
    const qmp = await connectQmp(await serve(true), 5000)
    await expect(qmp.execute('query-status', undefined, 60_000)).rejects.toThrow(QmpClosed)
  })

  test('goes on answering while a guest has QEMU send events without end', async () => {
    const event = JSON.stringify({ timestamp: { seconds: 1, microseconds: 2 }, event: 'ACPI_DEVICE_OST' })
    const flood = `${event.replaceAll(':', ': ')}\n`.repeat(100_000)
    answer = (socket, { id, execute }) => {
      socket.write(flood)
      returns(socket, id, execute)
    }
    const qmp = await connectQmp(await serve(true), 5000)
    const heard: QmpEvent[] = []
    qmp.onEvent(['SHUTDOWN'], (one) => heard.push(one))
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    expect(await qmp.execute('query-status')).toBe('query-status')
    expect(heard).toEqual([])
    // The request and its answer: to parse each event would cost the server seconds.
    expect(parse.mock.calls.length).toBeLessThan(10)
    qmp.close()
  })

  test('gives up when it is not greeted, because another client holds the socket', async () => {
    await expect(connectQmp(await serve(false), 100)).rejects.toThrow('did not greet')
  })

  test('fails what is under way and says so when the guest goes', async () => {
    answer = (socket) => socket.destroy()
    const qmp = await connectQmp(await serve(true), 5000)
    const closed = new Promise<void>((resolve) => qmp.onClose(resolve))
    await expect(qmp.execute('quit')).rejects.toThrow('gone')
    await closed
    await expect(qmp.execute('query-status')).rejects.toThrow('gone')
  })

  test('is merely closed when QEMU dies with the call unanswered in its queue', async () => {
    // Listens and never accepts, as a QEMU does that ends while it starts: the caller's line is reset, not ended.
    const dying = spawn(
      process.execPath,
      [
        '--eval',
        `require('node:net').createServer().listen('qmp.sock', () => {
          process.stdout.write('listening')
          require('node:fs').readSync(0, Buffer.alloc(1))
          process.kill(process.pid, 'SIGKILL')
        })`,
      ],
      { cwd: dir, stdio: ['pipe', 'pipe', 'inherit'] },
    )
    await once(dying.stdout, 'data')
    const socket = await connectUnix(join(dir, 'qmp.sock'))
    const closed = new Promise((resolve) => socket.once('close', resolve))
    dying.stdin.end('now')
    await closed
    await expect(connectQmp(join(dir, 'qmp.sock'), 5000)).rejects.toThrow()
  })
})
