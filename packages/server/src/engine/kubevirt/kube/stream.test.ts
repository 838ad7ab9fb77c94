import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { makeHandClock } from '../../../lib/hand-clock.ts'
import { refusal, serveKube } from './kube-server.test-kit.ts'

/** A server whose lines end up in `attend`. */
async function serveLines(attend: (socket: WebSocket, request: IncomingMessage) => void, speaks = true) {
  const kube = await serveKube((_request, answer) => refusal(answer, 404, 'NotFound', 'no such machine'))
  const lines = new WebSocketServer({
    server: kube.server,
    ...(speaks ? {} : { handleProtocols: () => false }),
  })
  lines.on('connection', attend)
  onTestFinished(() => {
    for (const socket of lines.clients) socket.terminate()
  })
  return kube
}

const path = '/apis/subresources.kubevirt.io/v1/namespaces/a/virtualmachineinstances/one/console'

async function allOf(stream: Duplex): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts).toString()
}

describe('a stream', () => {
  it('carries bytes both ways, says who opens it, and ends when the other end does', async () => {
    const seen: unknown[] = []
    const kube = await serveLines((socket, request) => {
      seen.push([request.url, request.headers.authorization, socket.protocol])
      // With the head of the answer: nothing may be lost before somebody listens.
      socket.send(Buffer.from('login: '))
      socket.on('message', (data) => {
        socket.send(`hello ${data}`)
        socket.close()
      })
    })
    const stream = await kube.client().openStream(path)
    await new Promise((resolve) => setTimeout(resolve, 20))
    stream.write('root')
    expect(await allOf(stream)).toBe('login: hello root')
    expect(seen).toEqual([[path, 'Bearer me', 'plain.kubevirt.io']])
  })

  it('tells the other end when ours is over', async () => {
    const ended = Promise.withResolvers<number>()
    const kube = await serveLines((socket) => socket.on('close', ended.resolve))
    const stream = await kube.client().openStream(path)
    stream.resume().end()
    expect(await ended.promise).toBe(1005)
    const off = new AbortController()
    const other = await kube.client().openStream(path, { signal: off.signal })
    other.on('error', () => {})
    off.abort()
    await once(other, 'close')
  })

  it('takes no more than is read, and lets the writer wait for who does not read', async () => {
    let sent = 0
    let other: WebSocket | null = null
    const block = Buffer.alloc(64 * 1024)
    const kube = await serveLines((socket) => {
      other = socket
      socket.pause()
      const send = () => {
        if (sent < 64 * 1024 * 1024 && socket.readyState === socket.OPEN) socket.send(block, send)
        sent += block.length
      }
      send()
    })
    const stream = await kube.client().openStream(path)
    await expect.poll(() => sent).toBeGreaterThan(0)
    const settled = async (count: () => number) => {
      for (let before = -1; before !== count(); ) {
        before = count()
        await new Promise((resolve) => setTimeout(resolve, 150))
      }
      return count()
    }
    expect(await settled(() => sent)).toBeLessThan(32 * 1024 * 1024)

    let written = 0
    const write = () => {
      while (written < 64 * 1024 * 1024) {
        written += block.length
        if (!stream.write(block)) return
      }
    }
    stream.on('drain', write)
    write()
    expect(await settled(() => written)).toBeLessThan(32 * 1024 * 1024)
    expect(other).not.toBeNull()
    stream.on('error', () => {})
    stream.destroy()
  })

  it('is refused in the words of the server, and by its own deadline', async () => {
    const clock = makeHandClock()
    const kube = await serveKube((_request, answer) => answer.end())
    let upgrades = 0
    const hung: Duplex[] = []
    onTestFinished(() => {
      for (const socket of hung) socket.destroy()
    })
    kube.server.on('upgrade', (request, socket) => {
      upgrades++
      hung.push(socket)
      const body = '{"kind":"Status","reason":"NotFound","message":"no such machine"}'
      if (request.url === '/gone') {
        socket.end(`HTTP/1.1 404 Not Found\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      }
    })
    const client = kube.client({ clock })
    await expect(client.openStream('/gone')).rejects.toMatchObject({
      kind: 'not-found',
      message: 'no such machine',
    })
    const late = expect(client.openStream(path, { deadlineMs: 5_000 })).rejects.toMatchObject({
      kind: 'away',
    })
    await expect.poll(() => upgrades).toBe(2)
    await clock.advance(5_000)
    await late
  })

  it('is refused where the server speaks another protocol', async () => {
    const kube = await serveLines(() => {}, false)
    await expect(kube.client().openStream(path)).rejects.toMatchObject({
      kind: 'broken',
      message: 'The API server does not speak plain.kubevirt.io',
    })
  })
})
