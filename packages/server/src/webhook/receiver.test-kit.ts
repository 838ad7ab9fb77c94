/** A receiver of webhooks on loopback, which checks signatures as the specification of Standard Webhooks says. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { WebhookMessage } from '@slipway/contract'

export interface Received {
  id: string
  /** Seconds since the epoch. */
  timestamp: number
  signature: string
  message: WebhookMessage
  text: string
  headers: IncomingMessage['headers']
  path: string
}

/** What it answers: a status, or whatever else it does to the response. */
type Answer = number | ((response: ServerResponse) => void)

export async function startReceiver() {
  const received: Received[] = []
  let answer: (request: Received) => Answer = () => 204
  let waiters: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const header = (name: string) => String(request.headers[name] ?? '')
    const one: Received = {
      id: header('webhook-id'),
      timestamp: Number(header('webhook-timestamp')),
      signature: header('webhook-signature'),
      message: JSON.parse(text) as WebhookMessage,
      text,
      headers: request.headers,
      path: request.url ?? '',
    }
    received.push(one)
    for (const waiter of waiters) waiter()
    waiters = []
    const given = answer(one)
    if (typeof given === 'function') return given(response)
    response.writeHead(given).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    types: () => received.map(({ message }) => message.type),
    /** How it answers from now on. */
    answer(next: number | ((request: Received) => Answer)) {
      answer = typeof next === 'number' ? () => next : next
    },
    /** Resolves once there were so many requests. */
    async has(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => waiters.push(resolve))
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Whether one of the signatures of a request is right: the secret without `whsec_` is base64 of the key. */
export function isSigned({ id, timestamp, text, signature }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const right = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest()
  return signature.split(' ').some((one) => {
    const [version, given = ''] = one.split(',')
    const bytes = Buffer.from(given, 'base64')
    return version === 'v1' && bytes.length === right.length && timingSafeEqual(bytes, right)
  })
}
