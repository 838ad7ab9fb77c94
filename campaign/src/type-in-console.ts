/** Opens the serial console of a VM as the console does, types a command, and leaves. */
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Answer, Client, Request } from './client.ts'

/** How long what the guest prints is listened to. */
const listensMs = 300

/** Null when neither a socket nor a refusal came. */
export function typeInConsole(url: string, client: Client, { path }: Request): Promise<Answer | null> {
  const began = performance.now()
  const { promise, resolve } = Promise.withResolvers<Answer | null>()
  const answer = (status: number): Answer => ({
    status,
    text: '',
    headers: {},
    took: performance.now() - began,
  })
  const headers = { cookie: client.cookie, 'x-forwarded-for': client.from }
  const socket = new WebSocket(new URL(path, url.replace('http', 'ws')), {
    headers,
    handshakeTimeout: 20_000,
  })
  socket.on('error', () => resolve(null))
  socket.on('unexpected-response', (_request, response) => {
    resolve(answer(response.statusCode ?? 0))
    response.destroy()
  })
  socket.on('open', async () => {
    const opened = answer(101)
    socket.send(Buffer.from('echo campaign\r'))
    await sleep(listensMs)
    socket.close()
    resolve(opened)
  })
  return promise
}
