import websocket from '@fastify/websocket'
import type { Endpoint } from '@slipway/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import { Problem } from '../lib/problem.ts'
import { type Authenticate, type Input, readInput } from './route.ts'

/** A socket as features see it. */
export interface SocketLine {
  /** Sends a text frame. */
  say: (text: string) => void
  /** Sends a binary frame; resolves when it has left for the network, rejects when the line is gone. */
  send: (bytes: Buffer) => Promise<void>
  close: (code: number, reason: string) => void
  /** Gets frames one after the other: nothing more is read from the sender while one is dealt with. */
  onFrame: (handle: (bytes: Buffer, isBinary: boolean) => Promise<void>) => void
  onClose: (listener: () => void) => void
}

/** What to do with a socket once it is there. */
export type Serve = (line: SocketLine) => void

/**
 * Mounts an endpoint that becomes a socket. Both functions refuse by what they throw. `own` says whether the user may
 * have it at all, and is asked again now and then: the first refusal ends the socket with 1008. `prepare` comes
 * before the upgrade and answers how to serve the socket.
 */
export type SocketRoute = <E extends Endpoint>(
  endpoint: E,
  own: (input: Input<E>) => Promise<unknown>,
  prepare: (input: Input<E>) => Promise<Serve>,
) => void

const heartbeatMs = 15_000
/** Nobody types or pastes more at once; larger pieces are sent in parts. */
const maxPayload = 256 * 1024
/** Close codes: RFC 6455, section 7.4.1. */
const refused = 1008
const broken = 1011

/**
 * Sockets are kept alive by pings, which proxies see as traffic; one that does not answer is ended. A session that
 * ends takes its sockets with it: at the next ping, or at once by `recheck`.
 */
export async function installSockets(
  app: FastifyInstance,
  authenticate: Authenticate,
): Promise<{ socketRoute: SocketRoute; recheck: () => void }> {
  const checks = new Set<() => void>()
  await app.register(websocket, { options: { maxPayload, perMessageDeflate: false } })
  // A connection whose upgrade was refused belongs to nobody any more.
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.headers.upgrade !== undefined) raw.socket.end()
  })
  const prepared = new WeakMap<FastifyRequest, { serve: Serve; isAllowed: () => Promise<boolean> }>()

  const socketRoute: SocketRoute = (endpoint, own, prepare) => {
    const isOwn = (input: Parameters<typeof own>[0]) =>
      own(input).then(
        () => true,
        (error: unknown) => !(error instanceof Problem),
      )
    app.route({
      method: 'GET',
      url: endpoint.path,
      async preValidation(request) {
        const input = await readInput(endpoint, request, authenticate)
        await own(input)
        if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
          throw new Problem(426, 'This address speaks WebSocket')
        }
        prepared.set(request, {
          serve: await prepare(input),
          isAllowed: async () => (await authenticate(request)) !== null && (await isOwn(input)),
        })
      },
      async handler() {
        throw new Problem(426, 'This address speaks WebSocket')
      },
      wsHandler(socket, request) {
        const ready = prepared.get(request)
        if (!ready) return socket.terminate()
        const check = keepAlive(socket, ready.isAllowed)
        checks.add(check)
        socket.on('close', () => checks.delete(check))
        ready.serve(lineOf(socket))
      },
    })
  }
  return {
    socketRoute,
    recheck() {
      for (const check of checks) check()
    },
  }
}

/** Returns the way to ask whether it is still allowed. */
function keepAlive(socket: WebSocket, isAllowed: () => Promise<boolean>): () => void {
  let answered = true
  const check = () => {
    isAllowed().then(
      (allowed) => !allowed && socket.close(refused, 'The session ended'),
      () => {},
    )
  }
  socket.on('pong', () => {
    answered = true
  })
  const heartbeat = setInterval(() => {
    // What is typed faster than a guest takes it keeps answers waiting too.
    if (!answered && !socket.isPaused) return socket.terminate()
    answered = false
    socket.ping()
    check()
  }, heartbeatMs)
  heartbeat.unref()
  socket.on('close', () => clearInterval(heartbeat))
  socket.on('error', () => socket.terminate())
  return check
}

function lineOf(socket: WebSocket): SocketLine {
  return {
    say: (text) => socket.send(text),
    send: (bytes) =>
      new Promise((resolve, reject) => socket.send(bytes, (error) => (error ? reject(error) : resolve()))),
    close: (code, reason) => socket.close(code, reason),
    onFrame(handle) {
      let turn: Promise<unknown> = Promise.resolve()
      let under = 0
      socket.on('message', (data, isBinary) => {
        under++
        socket.pause()
        turn = turn
          .then(() => handle(bytesOf(data), isBinary))
          .catch(() => socket.close(broken, 'The guest could not be reached'))
          .finally(() => {
            under--
            if (under === 0) socket.resume()
          })
      })
    },
    onClose: (listener) => void socket.on('close', listener),
  }
}

const bytesOf = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
