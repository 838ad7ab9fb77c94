/**
 * The web server in simulated guests, so that shared ports can be tried without a real one: it says hello, and echoes
 * bodies and WebSocket messages.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'
import { WebSocketServer } from 'ws'
import type { Clock } from '../../lib/clock.ts'

export const WEB_PORT = 3000
const TICK_MS = 1_000
const SLOW_MS = 2_000

const plain = { 'content-type': 'text/plain; charset=utf-8' }

/** Opens connections to the web servers of guests, which end with their guests. */
export function makeSimulatedWeb(clock: Clock) {
  const guests = new WeakMap<object, string>()
  const open = new Map<string, Set<Duplex>>()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    socket.on('error', () => socket.terminate())
  })
  const server = createServer(answer)
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (one) => sockets.emit('connection', one, request)),
  )
  server.on('clientError', (_, socket) => socket.destroy())

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = new URL(request.url ?? '/', 'http://guest')
    if (pathname === '/echo') {
      response.writeHead(200, {
        'content-type': request.headers['content-type'] ?? 'application/octet-stream',
      })
      request.pipe(response)
      return
    }
    request.resume()
    if (pathname === '/headers') {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(request.rawHeaders))
      return
    }
    if (pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      tick(response, 0)
      return
    }
    if (pathname === '/slow') {
      const cancel = clock.after(SLOW_MS, () => response.writeHead(200, plain).end('At last\n'))
      response.once('close', cancel)
      return
    }
    if (pathname !== '/') {
      response.writeHead(404, plain).end('Not found\n')
      return
    }
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    const id = guests.get(request.socket) ?? ''
    response.end(`<!doctype html><title>${id}</title><h1>Hello from VM ${id}</h1>\n`)
  }

  function tick(response: ServerResponse, count: number): void {
    response.write(`data: ${count}\n\n`)
    const cancel = clock.after(TICK_MS, () => tick(response, count + 1))
    response.once('close', cancel)
  }

  return {
    connect(machineId: string): Duplex {
      const [ours, its] = duplexPair()
      const ofGuest = open.get(machineId) ?? new Set()
      open.set(machineId, ofGuest.add(its))
      guests.set(its, machineId)
      its.once('close', () => {
        ofGuest.delete(its)
        // The other end of a pair is not told by itself.
        ours.destroy()
      })
      ours.once('close', () => its.destroy())
      server.emit('connection', its)
      return ours
    },
    /** Ends the connections to a guest that has ended. */
    end(machineId: string): void {
      for (const one of open.get(machineId) ?? []) one.destroy()
      open.delete(machineId)
    },
  }
}
