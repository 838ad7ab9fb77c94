import websocket from '@fastify/websocket'
import type { Endpoint } from '@slipway/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RawData, WebSocket } from 'ws'
import type { Clock } from '../lib/clock.ts'
import { Problem } from '../lib/problem.ts'
import { makeBrokenFrames } from './broken-frames.ts'
import { type Gate, type Input, readSessionInput } from './route.ts'
import type { Place, SessionLines } from './sessions.ts'

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

/** A socket that may be opened, with what was made ready for it. */
export interface PreparedSocket {
  /** Takes over once the socket is there. */
  serve: (line: SocketLine) => void
  /** Gives back what was made ready: the socket did not come to be. */
  dispose: () => void
}

/**
 * Mounts an endpoint that becomes a socket. Both functions refuse by what they throw. `own` says whether there is
 * such a thing; it and the user's role are asked again now and then: the first refusal ends the socket with 1008. `prepare` comes
 * before the upgrade; exactly one of the two functions it answers with is called.
 */
export type SocketRoute = <E extends Endpoint>(
  endpoint: E,
  own: (input: Input<E>) => Promise<unknown>,
  prepare: (input: Input<E>) => Promise<PreparedSocket>,
) => void

const heartbeatMs = 15_000
/** Nobody types or pastes more at once; larger pieces are sent in parts. */
const maxPayload = 256 * 1024
/** Close codes: RFC 6455, section 7.4.1. */
const refused = 1008
const broken = 1011

/** A socket between its permission and its upgrade. */
interface Pending {
  prepared: PreparedSocket
  place: Place
  isAllowed: () => Promise<boolean>
}

/**
 * Sockets are kept alive by pings, which proxies see as traffic; one that does not answer is ended. A session that
 * ends takes its sockets with it. No other address takes an upgrade.
 */
export async function installSockets(
  app: FastifyInstance,
  gate: Gate,
  lines: SessionLines,
  clock: Pick<Clock, 'monotonic'>,
): Promise<SocketRoute> {
  const noteError = makeBrokenFrames(clock)
  await app.register(websocket, {
    options: { maxPayload, perMessageDeflate: false },
    errorHandler(error, socket, request) {
      noteError(error, request.ip, request.log)
      socket.terminate()
    },
  })
  const socketPaths = new Set<string>()
  app.addHook('onRequest', async (request) => {
    const { url } = request.routeOptions
    if (request.ws && (url === undefined || !socketPaths.has(url))) {
      throw new Problem(400, 'This URL does not accept WebSocket connections')
    }
  })
  // A connection whose upgrade was refused belongs to nobody any more.
  app.addHook('onResponse', async ({ raw }) => {
    if (raw.headers.upgrade !== undefined) raw.socket.end()
  })
  const pending = new WeakMap<FastifyRequest, Pending>()

  return (endpoint, own, prepare) => {
    socketPaths.add(endpoint.path)
    const isOwn = (input: Parameters<typeof own>[0]) =>
      Promise.all([gate.admit(endpoint, input), own(input)]).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Problem) return false
          throw error
        },
      )

    async function prepareUpgrade(request: FastifyRequest): Promise<void> {
      const { input, session } = await readSessionInput(endpoint, request, gate)
      await own(input)
      if (!request.ws) throw new Problem(426, 'This URL requires a WebSocket connection')
      const place = lines.take('socket', session)
      try {
        const prepared = await prepare(input)
        const isAllowed = async () => (await gate.authenticate(request)) !== null && (await isOwn(input))
        pending.set(request, { prepared, place, isAllowed })
        giveUpWithConnection(request)
      } catch (error) {
        place.leave()
        throw error
      }
    }

    /** The client may be gone, or its upgrade be malformed: either ends the connection before there is a socket. */
    function giveUpWithConnection(request: FastifyRequest): void {
      const giveUp = () => {
        const given = pending.get(request)
        if (!given) return
        pending.delete(request)
        given.place.leave()
        given.prepared.dispose()
      }
      const { socket } = request.raw
      if (socket.destroyed) {
        giveUp()
        throw new Problem(408, 'The connection was closed before the console was ready')
      }
      socket.once('close', giveUp)
    }

    app.route({
      method: 'GET',
      url: endpoint.path,
      preValidation: prepareUpgrade,
      async handler() {
        throw new Problem(426, 'This URL requires a WebSocket connection')
      },
      wsHandler(socket, request) {
        const given = pending.get(request)
        if (!given) return socket.terminate()
        pending.delete(request)
        const { prepared, place, isAllowed } = given
        keepAlive(socket)
        socket.on('close', place.leave)
        prepared.serve(lineOf(socket))
        place.hold({ isAllowed, end: () => socket.close(refused, 'The session ended') })
      },
    })
  }
}

function keepAlive(socket: WebSocket): void {
  let answered = true
  socket.on('pong', () => {
    answered = true
  })
  const heartbeat = setInterval(function beat() {
    // What is typed faster than a guest takes it keeps answers waiting too.
    if (!answered && !socket.isPaused) return socket.terminate()
    answered = false
    socket.ping()
  }, heartbeatMs)
  heartbeat.unref()
  socket.on('close', () => clearInterval(heartbeat))
  socket.on('error', () => socket.terminate())
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
    onClose(listener) {
      socket.on('close', listener)
    },
  }
}

const bytesOf = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
