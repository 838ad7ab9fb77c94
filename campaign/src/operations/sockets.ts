/** Opens the consoles of a VM as the browser does, and leaves after a moment. */
import { setTimeout as sleep } from 'node:timers/promises'
import { consoleApi } from '@slipway/contract'
import { WebSocket } from 'ws'
import { type Answer, requestOf } from '../client.ts'
import type { Called, Errand } from './operation.ts'

/** How long what the guest prints or shows is listened to. */
const listensMs = 300

/** Null when neither a socket nor a refusal came. */
function open(
  endpoint: Called,
  { host, person, parts }: Errand,
  use: (socket: WebSocket) => void,
): Promise<Answer | null> {
  const began = performance.now()
  const { promise, resolve } = Promise.withResolvers<Answer | null>()
  const answer = (status: number): Answer => ({
    status,
    text: '',
    headers: {},
    took: performance.now() - began,
  })
  const { path } = requestOf(endpoint, parts)
  const headers = { cookie: person.client.cookie, 'x-forwarded-for': person.client.from }
  const socket = new WebSocket(new URL(path, host.url.replace('http', 'ws')), {
    headers,
    handshakeTimeout: 20_000,
  })
  socket.on('error', () => resolve(null))
  socket.on('unexpected-response', (_request, response) => {
    resolve(answer(response.statusCode ?? 0))
    response.destroy()
  })
  socket.on('open', async () => {
    const opened = answer(endpoint.status)
    use(socket)
    await sleep(listensMs)
    socket.close()
    resolve(opened)
  })
  return promise
}

export const typeInConsole = (errand: Errand): Promise<Answer | null> =>
  open(consoleApi.open, errand, (socket) => socket.send(Buffer.from('echo campaign\r')))

export const watchScreen = (errand: Errand): Promise<Answer | null> =>
  open(consoleApi.screen, errand, (socket) => socket.send(Buffer.from('RFB 003.008\n')))
