/**
 * Servers in the process of the tests of screens, which themselves run in a browser: what a page asks of `/api` goes to
 * the one that its cookie names.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { lastMail, makeTestAppOver, type TestAppOptions, tokenOf } from './app.test-kit.ts'
import { makeSimulatedEngine } from './engine/simulated/simulated.ts'
import { systemClock } from './lib/clock.ts'

/** At this speed a VM is up after a quarter of a second. */
const speed = 16

/** The cookie that names the server of a page. */
export const serverCookie = 'test-server'

type InProcess = Awaited<ReturnType<typeof open>>
const servers = new Map<string, InProcess>()

async function open(options: TestAppOptions) {
  const engine = makeSimulatedEngine({ clock: systemClock, hostMemoryMb: 1024 * 1024, speed })
  await engine.open()
  return makeTestAppOver({ clock: systemClock, engine, passTime: async () => {} }, options)
}

function named(id: string): InProcess {
  const server = servers.get(id)
  if (!server) throw new Error(`There is no server ${id}`)
  return server
}

/** Opens a server with the simulated engine and real time; answers with its name. */
export async function openServer(options: TestAppOptions = {}): Promise<string> {
  const id = randomUUID()
  servers.set(id, await open(options))
  return id
}

export async function closeServer(id: string): Promise<void> {
  const server = servers.get(id)
  servers.delete(id)
  await server?.close()
}

/** Somebody with an account of their own, and the cookie of their session. */
export async function enrol(id: string, name: string) {
  const { email, password, cookie } = await named(id).signedIn(name)
  return { name, email, password, cookie }
}

/** The token in the last mail to somebody. */
export const mailedToken = (id: string, to: string): string => tokenOf(lastMail(named(id).mails, to))

/** Hands what a page asks of the API to its server. */
export function answerPage(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const id = new RegExp(`(?:^|; )${serverCookie}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1]
  const server = id === undefined ? undefined : servers.get(id)
  if (!server || !request.url?.startsWith('/api/')) {
    next()
    return
  }
  // As the browser of somebody who opens the address of the server.
  request.headers.host = 'slipway.test'
  if (request.headers.origin) request.headers.origin = 'http://slipway.test'
  server.app.routing(request, response)
}

export { newPublicKey } from './app.test-kit.ts'
