import { type Duplex, Readable } from 'node:stream'
import { ConsoleAsking, consoleApi, consoleCloses } from '@slipway/contract'
import type { Route } from '../http/route.ts'
import type { SocketLine, SocketRoute } from '../http/sockets.ts'
import type { ConsoleService } from './console.service.ts'
import type { Viewer, ViewerLine } from './console.session.ts'

export function consoleRoutes(route: Route, socketRoute: SocketRoute, consoles: ConsoleService): void {
  socketRoute(
    consoleApi.open,
    ({ user, params }) => consoles.own(user.id, params.projectId, params.vmId),
    async ({ user, params, query }) => {
      const join = await consoles.open(user, params.projectId, params.vmId, query.from)
      return { serve: (line) => serveConsole(line, join), dispose: () => {} }
    },
  )

  socketRoute(
    consoleApi.screen,
    ({ user, params }) => consoles.own(user.id, params.projectId, params.vmId),
    async ({ user, params }) => {
      const screen = await consoles.openScreen(user, params.projectId, params.vmId)
      return { serve: (line) => serveScreen(line, screen), dispose: () => screen.destroy() }
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

function serveConsole(line: SocketLine, join: (line: ViewerLine) => Promise<Viewer | null>): void {
  // What is typed before there is somebody to type to waits its turn.
  const joined = join({ ...line, say: (saying) => line.say(JSON.stringify(saying)) })
  line.onFrame(async (bytes, isBinary) => {
    const viewer = await joined
    if (!viewer) return
    if (isBinary) await viewer.type(bytes)
    else resize(viewer, bytes)
  })
  line.onClose(() => {
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

function serveScreen(line: SocketLine, screen: Duplex): void {
  screen.on('data', (bytes: Buffer) => {
    screen.pause()
    line.send(bytes).then(
      () => screen.resume(),
      () => screen.destroy(),
    )
  })
  const goDark = () => line.close(consoleCloses.ended, 'The screen was turned off')
  screen.on('close', goDark)
  if (screen.destroyed) goDark()
  line.onFrame(
    (bytes) =>
      new Promise((resolve) => {
        if (screen.write(bytes)) resolve()
        else for (const event of ['drain', 'close']) screen.once(event, () => resolve())
      }),
  )
  line.onClose(() => screen.destroy())
}
