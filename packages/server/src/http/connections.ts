/**
 * What a connection may take. A request has to be sent and its answer read within a time, and connections are
 * counted, in all and for each address; without that, clients that send nothing hold descriptors for ever. Event
 * streams and sockets say something every 15 s and so live on.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { messages } from '@slipway/contract'
import type { FastifyHttpOptions, FastifyInstance } from 'fastify'
import { clientNetworkOf } from '../lib/client-address.ts'
import type { Log } from '../lib/log.ts'

export interface ConnectionLimits {
  /** In which a request has to arrive whole, and its headers. */
  requestMs: number
  headersMs: number
  /** After which a connection ends on which nothing moves; longer than any call takes. */
  silentMs: number
  /** How often the times are looked at. */
  checkEveryMs: number
  inAll: number
  ofOneAddress: number
}

export const connectionLimits: ConnectionLimits = {
  requestMs: 30_000,
  headersMs: 15_000,
  silentMs: 120_000,
  checkEveryMs: 5_000,
  inAll: 5_000,
  ofOneAddress: 300,
}

/** The part of Fastify's options that bounds connections. */
export const connectionOptions = (limits: ConnectionLimits) =>
  ({
    requestTimeout: limits.requestMs,
    connectionTimeout: limits.silentMs,
    http: { headersTimeout: limits.headersMs, connectionsCheckingInterval: limits.checkEveryMs },
    clientErrorHandler: answerClientError,
  }) satisfies FastifyHttpOptions<Server>

/** What Node's HTTP parser refuses, in the shape of every other error. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  socket.end(
    plainAnswer(...(parserProblems[error.code ?? ''] ?? ['400 Bad Request', messages.invalidRequest])),
  )
}

const parserProblems: Record<string, [string, string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', messages.requestTimeout],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', messages.headersTooLarge],
}

/** A whole answer for a connection on which there is no request to answer. */
function plainAnswer(status: string, message: string): string {
  const body = JSON.stringify({ message })
  return [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(status.startsWith('503') ? ['Retry-After: 30'] : []),
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

/**
 * Counts connections. Some addresses have no limit of their own: many people come through one proxy.
 */
export function limitConnections(
  app: FastifyInstance,
  limits: ConnectionLimits,
  isExempt: (address: string) => boolean,
  log: Pick<Log, 'warn'>,
): void {
  const { server } = app
  server.maxConnections = limits.inAll
  const open = new Map<string, number>()

  server.on('connection', function countConnection(socket: Socket) {
    const address = socket.remoteAddress
    if (address === undefined || isExempt(address)) return
    const network = clientNetworkOf(address)
    const count = open.get(network) ?? 0
    if (count >= limits.ofOneAddress) {
      socket.end(plainAnswer('503 Service Unavailable', messages.tooManyConnections))
      socket.destroySoon()
      return
    }
    open.set(network, count + 1)
    socket.once('close', function uncount() {
      const left = (open.get(network) ?? 1) - 1
      if (left === 0) open.delete(network)
      else open.set(network, left)
    })
  })

  let saidAt = Number.NEGATIVE_INFINITY
  server.on('drop', function reportDrop() {
    if (performance.now() - saidAt < 60_000) return
    saidAt = performance.now()
    log.warn({ limit: limits.inAll }, 'Connections were refused: there are too many')
  })
}

/**
 * Closes the server: requests in flight and WebSockets may end within a time, then their connections are cut. Node stops
 * looking at its own times when it closes, so a client that says nothing would hold up the end.
 */
export async function closeServer(app: FastifyInstance, graceMs = 4_000): Promise<void> {
  const cut = setTimeout(function cutConnections() {
    app.server.closeAllConnections()
    // Node no longer counts a connection that became a WebSocket, and one has half a minute to say goodbye.
    if (app.hasDecorator('websocketServer'))
      for (const client of app.websocketServer.clients) client.terminate()
  }, graceMs)
  await app.close().finally(() => clearTimeout(cut))
}
