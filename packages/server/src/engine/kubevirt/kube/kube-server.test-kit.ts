/** A server that answers as a test has it, and what a client needs to find it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import type { CallerOptions } from './caller.ts'
import type { Cluster } from './cluster.ts'
import { type KubeClient, makeKubeClient } from './kube-client.ts'
import type { Kind, KubeObject } from './objects.ts'

export interface Box extends KubeObject {
  data?: Record<string, string>
}

export const boxes: Kind<Box> = { group: '', version: 'v1', plural: 'configmaps' }

export const box = (name: string, version: number, data: Record<string, string> = {}): Box => ({
  metadata: { namespace: 'a', name, resourceVersion: String(version) },
  data,
})

type Handler = (request: IncomingMessage, answer: ServerResponse, url: URL) => unknown

/** Answers until the end of the test; `clients` are closed with it. */
export async function serveKube(handler: Handler) {
  const server = createServer((request, answer) =>
    handler(request, answer, new URL(request.url ?? '/', 'http://kube')),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const cluster: Cluster = {
    server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    tls: {},
    namespace: 'default',
    login: async () => ({ authorization: 'Bearer me' }),
  }
  return {
    server,
    cluster,
    client(options: Partial<CallerOptions> = {}): KubeClient {
      const client = makeKubeClient(cluster, { clock: systemClock, ...options })
      onTestFinished(() => client.close())
      return client
    },
  }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

export function json(answer: ServerResponse, status: number, body: unknown, headers = {}): void {
  answer.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const refusal = (
  answer: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers = {},
) => json(answer, code, { kind: 'Status', status: 'Failure', code, reason, message }, headers)

export const page = (items: KubeObject[], version: number, next?: string) => ({
  metadata: { resourceVersion: String(version), ...(next ? { continue: next } : {}) },
  items,
})

export const event = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`

export const bookmark = (version: number): string =>
  event('BOOKMARK', { metadata: { resourceVersion: String(version) } })

export const isWatch = (url: URL): boolean => url.searchParams.get('watch') === 'true'
