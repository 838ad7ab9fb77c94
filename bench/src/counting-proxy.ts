/** Stands between a server and the API server of its cluster, and counts what is asked. */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, request as httpsRequest } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { KubeAccess } from '@slipway/e2e/kube'

/** May answer a request itself; false where the cluster has to. */
export type Instead = (url: URL, request: IncomingMessage, answer: ServerResponse) => boolean

export async function startCountingProxy({ server, options }: KubeAccess, instead: Instead = () => false) {
  const agent = new Agent({ keepAlive: true })
  const isPlain = server.protocol === 'http:'
  let counts = new Map<string, number>()

  /** Such as `GET pods.metrics.k8s.io`, `watch virtualmachines.kubevirt.io`, `stream …/console`. */
  function count(request: IncomingMessage, isStream: boolean): void {
    const url = new URL(request.url ?? '/', 'http://proxy')
    const [, root, ...path] = url.pathname.split('/')
    const group = root === 'apis' ? (path[0] ?? '') : ''
    const [first = '', , ...inside] = path.slice(root === 'apis' ? 2 : 1)
    const [plural = first, , part] =
      first === 'namespaces' && inside.length > 0 ? inside : [first, '', inside[0]]
    const word = isStream ? 'stream' : url.searchParams.has('watch') ? 'watch' : (request.method ?? '')
    const what = `${word} ${plural}${group && `.${group}`}${part ? `/${part}` : ''}`
    counts.set(what, (counts.get(what) ?? 0) + 1)
  }

  const onward = (request: IncomingMessage) =>
    (isPlain ? httpRequest : httpsRequest)(new URL(request.url ?? '/', server), {
      ...options,
      method: request.method,
      // A stream keeps its connection for itself.
      ...(!isPlain && { agent: request.headers.upgrade ? false : agent }),
      headers: { ...request.headers, ...options.headers, host: server.host },
    })

  const proxy = createServer((request, answer) => {
    count(request, false)
    if (instead(new URL(request.url ?? '/', 'http://proxy'), request, answer)) return
    const sent = onward(request)
    sent.on('response', (from) => {
      answer.writeHead(from.statusCode ?? 502, from.headers)
      answer.flushHeaders()
      from.on('error', () => answer.destroy())
      from.pipe(answer)
    })
    sent.on('error', () => answer.destroy())
    answer.on('close', () => sent.destroy())
    request.pipe(sent)
  })
  proxy.on('upgrade', (request, socket: Duplex, head) => {
    count(request, true)
    socket.on('error', () => {})
    const sent = onward(request)
    sent.on('upgrade', (from, far, first) => {
      const headers = Object.entries(from.headers).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`)
      far.write(head)
      socket.write(first)
      far.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.on('close', () => far.destroy())
      far.pipe(socket).pipe(far)
    })
    sent.on('response', (from) =>
      socket.end(`HTTP/1.1 ${from.statusCode} Refused\r\ncontent-length: 0\r\n\r\n`),
    )
    sent.on('error', () => socket.destroy())
    sent.end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const named = (rest: object) => [{ name: 'bench', ...rest }]

  return {
    access: { server: new URL(url), options: {} } satisfies KubeAccess,
    /** The text of a kubeconfig that leads here. */
    kubeconfig: JSON.stringify({
      'current-context': 'bench',
      contexts: named({ context: { cluster: 'bench', user: 'bench' } }),
      clusters: named({ cluster: { server: url } }),
      users: named({ user: {} }),
    }),
    /** What was asked since the last time, the most frequent first. */
    take(): [what: string, times: number][] {
      const taken = [...counts].sort(([, a], [, b]) => b - a)
      counts = new Map()
      return taken
    },
    close(): void {
      proxy.close()
      proxy.closeAllConnections()
      agent.destroy()
    },
  }
}
