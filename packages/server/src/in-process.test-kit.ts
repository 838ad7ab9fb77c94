/**
 * Servers in the process of the tests of screens, which themselves run in a browser: what a page asks of `/api` goes to
 * the one that its cookie names.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { accountApi } from '@slipway/contract'
import { lastMail, makeTestAppOver, type TestAppOptions, tokenOf } from './app.test-kit.ts'
import { makeSimulatedEngine } from './engine/simulated/simulated.ts'
import { systemClock } from './lib/clock.ts'
import { isSigned, startReceiver } from './webhook/receiver.test-kit.ts'

/** At this speed a VM is up after a quarter of a second. */
const usualSpeed = 16

interface ServerOptions extends TestAppOptions {
  speed?: number
}

/** The cookie that names the server of a page. */
const serverCookie = 'test-server'

type InProcess = Awaited<ReturnType<typeof open>>
const servers = new Map<string, InProcess>()

async function open({ speed = usualSpeed, ...options }: ServerOptions) {
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
export async function openServer(options: ServerOptions = {}): Promise<string> {
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

/** A session of somebody in another browser or a program, which says what it is. */
export async function signInElsewhere(
  id: string,
  { email, password }: { email: string; password: string },
  userAgent: string,
): Promise<void> {
  const sent = { email, password }
  await named(id).client().raw('POST', accountApi.signIn.path, sent, { 'user-agent': userAgent })
}

const receivers = new Map<string, Awaited<ReturnType<typeof startReceiver>>>()

function receiverAt(url: string) {
  const receiver = receivers.get(url)
  if (!receiver) throw new Error(`There is no receiver at ${url}`)
  return receiver
}

/** Opens a receiver of webhooks; answers with its address. */
export async function openReceiver(): Promise<string> {
  const receiver = await startReceiver()
  receivers.set(receiver.url, receiver)
  return receiver.url
}

export const closeReceiver = (url: string): Promise<void> => receiverAt(url).close()

/** What a receiver answers from now on. */
export const setReceiver = (url: string, status: number): void => receiverAt(url).answer(status)

/** The signature of the first request that a receiver got, and whether it is right. */
export function firstSignature(url: string, secret: string): { signature: string; isRight: boolean } {
  const [first] = receiverAt(url).received
  if (!first) throw new Error(`Nothing was sent to ${url}`)
  return { signature: first.signature, isRight: isSigned(first, secret) }
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
