/** Serves a recorder to the servers of an installation, which carry its token. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { carriesToken } from '../../lib/bearer.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { MachineConsole } from '../engine.ts'
import type { Recorder } from './recorder.ts'
import {
  Asking,
  apart,
  keepAliveMs,
  mostReadBytes,
  mostTypedBytes,
  type Telling,
  understood,
  withId,
} from './recorder-wire.ts'

/** A guest prints a byte at a time; within this time they are told of together. */
const gatherMs = 8
/** Questions under way on one line; who asks more does not wait for answers. */
const mostUnderWay = 32

interface Serving {
  recorder: Pick<Recorder, 'open'>
  token: string
  host: string
  port: number
  log: Log
}

/** Listens; `GET /health` answers whoever asks. */
export async function serveRecorder({ recorder, token, host, port, log }: Serving) {
  const lines = new WebSocketServer({
    noServer: true,
    maxPayload: mostTypedBytes + 1024,
    perMessageDeflate: false,
  })
  const server = createServer((request, answer) => {
    if (request.url === '/health') answer.end('ok\n')
    else answer.writeHead(404).end()
  })
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    inBackground(log, 'opening a console', upgrade(request, socket, head))
  })

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (!carriesToken(request.headers.authorization, token)) return refuse(socket, '401 Unauthorized')
    const [, id = ''] = /^\/consoles\/([^/?]+)$/.exec(request.url ?? '') ?? []
    const terminal = await recorder.open(id).catch((error: unknown) => {
      refuse(socket, '500 Internal Server Error')
      throw error
    })
    if (!terminal) return refuse(socket, '404 Not Found')
    if (socket.destroyed) return terminal.close()
    request.socket.setKeepAlive(true, keepAliveMs)
    lines.handleUpgrade(request, socket, head, (line) => serveConsole(line, terminal, log))
  }

  // Those that became WebSockets, or are about to, the server does not close itself.
  const sockets = new Set<Duplex>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await listening(server, host, port)
  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const listening = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

function serveConsole(line: WebSocket, terminal: MachineConsole, log: Log): void {
  const say = (telling: Telling) => line.send(JSON.stringify(telling))
  let told: string | null = null
  let gathering: NodeJS.Timeout | undefined
  let underWay = 0

  function show(): void {
    gathering = undefined
    if (line.readyState !== line.OPEN) return
    const notes = terminal.notes()
    const these = JSON.stringify(notes)
    say({ extent: terminal.extent(), ...(these === told ? {} : { notes }) })
    told = these
  }

  async function answer(data: RawData, isBinary: boolean): Promise<void> {
    const message = data as Buffer
    if (isBinary) {
      const typed = apart(message)
      if (!typed) return line.terminate()
      return say({ id: typed.id, taken: await terminal.write(typed.bytes) })
    }
    const asking = understood(Asking, message.toString('utf8'))
    if (!asking) return line.terminate()
    const { from, max } = asking.read
    line.send(withId(asking.id, await terminal.read(from, Math.min(max, mostReadBytes))))
  }

  line.on('message', (data, isBinary) => {
    underWay += 1
    if (underWay > mostUnderWay) return line.terminate()
    const answering = answer(data, isBinary).finally(() => {
      underWay -= 1
    })
    // Who asked comes back, and may find that it can be read again.
    answering.catch((error: unknown) => {
      log.error({ err: error }, 'A console could not be served')
      line.terminate()
    })
  })
  line.on('error', () => line.terminate())
  const stop = terminal.onChange(() => {
    gathering ??= setTimeout(show, gatherMs)
  })
  line.on('close', () => {
    clearTimeout(gathering)
    stop()
    terminal.close()
  })
  show()
}
