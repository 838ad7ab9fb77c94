/** Lines of bytes to what runs in the cluster: ports, consoles, screens. They are WebSockets with a protocol of KubeVirt. */
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocket } from 'ws'
import type { Clock } from '../../../lib/clock.ts'
import type { Cluster } from './cluster.ts'
import { errorOfAnswer, isKube, KubeError } from './kube-error.ts'
import { bodyOf, ConnectionLost, withinTime } from './wire.ts'

export interface StreamOptions {
  protocol?: string
  /** Ends the stream, also when it is open. */
  signal?: AbortSignal
  /** How long opening may take. */
  deadlineMs?: number
}

/**
 * Opens a stream of raw bytes; throws a KubeError where the server refuses. It takes from its other end no more than is
 * read here. It ends when the other end does, or the connection: KubeVirt does not always say goodbye.
 */
export type OpenStream = (path: string, options?: StreamOptions) => Promise<Duplex>

const openMs = 15_000
const errorBytes = 64 * 1024
/** The largest message that is taken at once. */
const mostBytes = 16 * 1024 * 1024
/** A line nobody types on shows in this time that its other end is gone. */
const keepAliveMs = 30_000

export const makeOpenStream =
  (cluster: Cluster, clock: Pick<Clock, 'after'>): OpenStream =>
  async (path, { protocol = 'plain.kubevirt.io', signal, deadlineMs = openMs } = {}) => {
    const opening = withinTime(signal, deadlineMs, clock)
    try {
      const connect = (anew: boolean) => connected(cluster, path, protocol, opening.signal, anew)
      const stream = await connect(false).catch((error: unknown) => {
        // The token may have been renewed since we read it.
        if (isKube(error, 'forbidden') && error.status === 401) return connect(true)
        throw error
      })
      if (signal) {
        const end = () => stream.destroy()
        signal.addEventListener('abort', end, { once: true })
        stream.once('close', () => signal.removeEventListener('abort', end))
      }
      return stream
    } finally {
      opening.over()
    }
  }

async function connected(
  cluster: Cluster,
  path: string,
  protocol: string,
  signal: AbortSignal,
  anew: boolean,
): Promise<Duplex> {
  const { authorization, ...certificate } = await cluster.login(anew)
  signal.throwIfAborted()
  const url = new URL(`${cluster.server.pathname.replace(/\/$/, '')}${path}`, cluster.server)
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:'
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, [protocol], {
      ...(url.protocol === 'ws:' ? {} : { ...cluster.tls, ...certificate }),
      headers: { 'user-agent': 'slipway', ...(authorization === undefined ? {} : { authorization }) },
      maxPayload: mostBytes,
      perMessageDeflate: false,
    })
    const giveUp = () => socket.terminate()
    signal.addEventListener('abort', giveUp, { once: true })
    const settle = () => signal.removeEventListener('abort', giveUp)
    socket.on('upgrade', (answer) => answer.socket.setKeepAlive(true, keepAliveMs))
    socket.once('open', () => {
      settle()
      socket.off('error', failed)
      // Here and not later: the first bytes may have come with the head.
      resolve(createWebSocketStream(socket))
    })
    socket.once('unexpected-response', (_request, answer) => {
      settle()
      bodyOf(answer, errorBytes, signal).then(
        (body) => reject(errorOfAnswer(answer.statusCode ?? 0, body)),
        reject,
      )
    })
    function failed(error: NodeJS.ErrnoException): void {
      settle()
      if (signal.aborted) reject(signal.reason)
      else if (error.message.includes('subprotocol'))
        reject(new KubeError('broken', `The API server does not speak ${protocol}`, { cause: error }))
      else reject(new ConnectionLost(error))
    }
    socket.on('error', failed)
  })
}
