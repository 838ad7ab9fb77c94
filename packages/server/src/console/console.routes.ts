import { type Duplex, Readable } from 'node:stream'
import {
  ConsoleAsking,
  type ConsoleSaying,
  consoleApi,
  consoleBeatMs,
  consoleCloses,
} from '@slipway/contract'
import { cutUnlessTaken } from '../http/least-speed.ts'
import type { Route } from '../http/route.ts'
import type { SocketLine, SocketRoute } from '../http/sockets.ts'
import type { ConsoleService } from './console.service.ts'
import type { Viewer, ViewerLine } from './console.session.ts'

export function consoleRoutes(route: Route, socketRoute: SocketRoute, consoles: ConsoleService): void {
  socketRoute(
    consoleApi.open,
    ({ params }) => consoles.own(params.projectId, params.vmId),
    async ({ user, params, query }) => {
      const join = await consoles.open(user, params.projectId, params.vmId, query.from)
      return { serve: (line) => serveConsole(line, join), dispose: () => {} }
    },
  )

  socketRoute(
    consoleApi.screen,
    ({ params }) => consoles.own(params.projectId, params.vmId),
    async ({ user, params }) => {
      const screen = await consoles.openScreen(user, params.projectId, params.vmId)
      return { serve: (line) => serveScreen(line, screen), dispose: () => screen.destroy() }
    },
  )

  route(consoleApi.log, async ({ user, params }, _, reply) => {
    const { name, bytes } = await consoles.log(user, params.projectId, params.vmId)
    const file = `${name.replace(/[^\w.-]+/g, '-')}-console.log`
    cutUnlessTaken(reply, file)
    reply
      .header('content-type', 'text/plain; charset=utf-8')
      .header('content-disposition', `attachment; filename="${file}"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(bytes))
  })
}

function serveConsole(line: SocketLine, join: (line: ViewerLine) => Promise<Viewer | null>): void {
  // Input that arrives before the viewer has joined waits.
  const say = (saying: ConsoleSaying) => line.say(JSON.stringify(saying))
  const joined = join({ ...line, say })
  let typed = 0
  const beat = () => say({ type: 'beat', typed })
  const beating = setInterval(beat, consoleBeatMs)
  beating.unref()
  line.onFrame(async (bytes, isBinary) => {
    const viewer = await joined
    if (!viewer) return
    if (!isBinary) return resize(viewer, bytes)
    await viewer.type(bytes)
    typed += bytes.length
    beat()
  })
  line.onClose(() => {
    clearInterval(beating)
    joined.then(
      (viewer) => viewer?.leave(),
      () => {},
    )
  })
}

/** Ignores messages it does not understand: a newer console may send more kinds. */
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
  const goDark = () => line.close(consoleCloses.ended, 'The screen was closed')
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
