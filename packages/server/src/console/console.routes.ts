import { type Duplex, Readable } from 'node:stream'
import { ConsoleAsking, consoleApi, consoleCloses } from '@slipway/contract'
import type { RawData, WebSocket } from 'ws'
import type { Route } from '../http/route.ts'
import type { SocketRoute } from '../http/sockets.ts'
import type { ConsoleService } from './console.service.ts'
import type { Viewer, ViewerLine } from './console.session.ts'

export function consoleRoutes(route: Route, socketRoute: SocketRoute, consoles: ConsoleService): void {
  socketRoute(
    consoleApi.open,
    ({ user, params }) => consoles.own(user.id, params.projectId, params.vmId),
    async ({ user, params, query }) => {
      const join = await consoles.open(user, params.projectId, params.vmId, query.from)
      return (socket) => serveConsole(socket, join)
    },
  )

  socketRoute(
    consoleApi.screen,
    ({ user, params }) => consoles.own(user.id, params.projectId, params.vmId),
    async ({ user, params }) => {
      const screen = await consoles.openScreen(user, params.projectId, params.vmId)
      return (socket) => serveScreen(socket, screen)
    },
  )

  route(consoleApi.log, async ({ user, params }, _, reply) => {
    const { name, bytes } = await consoles.log(user.id, params.projectId, params.vmId)
    const file = `${name.replace(/[^\w.-]+/g, '-')}-console.log`
    await reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('content-disposition', `attachment; filename="${file}"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(bytes))
  })
}

function serveConsole(socket: WebSocket, join: (line: ViewerLine) => Promise<Viewer | null>): void {
  const line: ViewerLine = {
    say: (saying) => socket.send(JSON.stringify(saying)),
    send: (bytes) =>
      new Promise((resolve, reject) => socket.send(bytes, (error) => (error ? reject(error) : resolve()))),
    close: (code, reason) => socket.close(code, reason),
  }
  const joined = join(line)
  let left = false
  // What is typed before there is somebody to type to waits its turn, in order.
  let turn: Promise<unknown> = joined
  socket.on('message', (data, isBinary) => {
    // The guest takes what is typed at its own speed; until then nothing more is read from the viewer.
    socket.pause()
    turn = turn
      .then(async () => {
        const viewer = await joined
        if (!viewer || left) return
        if (isBinary) await viewer.type(bytesOf(data))
        else resize(viewer, bytesOf(data))
      })
      .catch(() => socket.close(consoleCloses.away, 'The guest could not be reached'))
      .finally(() => {
        if (!left) socket.resume()
      })
  })
  socket.on('close', () => {
    left = true
    joined.then(
      (viewer) => viewer?.leave(),
      () => {},
    )
  })
}

/** A saying that is not understood is passed over: a newer front end may say more. */
function resize(viewer: Viewer, bytes: Buffer): void {
  try {
    const asked = ConsoleAsking.safeParse(JSON.parse(bytes.toString('utf8')))
    if (asked.success) viewer.resize(asked.data)
  } catch {
    // Not even JSON.
  }
}

function serveScreen(socket: WebSocket, screen: Duplex): void {
  screen.on('data', (bytes: Buffer) => {
    screen.pause()
    socket.send(bytes, (error) => (error ? screen.destroy() : screen.resume()))
  })
  screen.on('close', () => socket.close(consoleCloses.ended, 'The screen went dark'))
  screen.on('error', () => screen.destroy())
  socket.on('message', (data) => {
    if (screen.write(bytesOf(data))) return
    socket.pause()
    screen.once('drain', () => socket.resume())
  })
  socket.on('close', () => screen.destroy())
}

const bytesOf = (data: RawData): Buffer =>
  Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
