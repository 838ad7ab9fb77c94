/**
 * Passes requests on to a guest and answers back: HTTP/1.1 and WebSocket upgrades, as streams with back pressure, so
 * that neither a large upload nor a slow reader takes memory. It is written over `node:http` because nothing of a
 * ready-made proxy would be left: connections come from `dial`, headers are filtered both ways, and each request stands
 * under the share it came by.
 */
import type { Agent, ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { type Duplex, pipeline } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { join } from '../lib/join.ts'
import { request as ask } from '../lib/node-http.ts'
import { type Forwarded, requestHeaders, responseHeaders } from './share.headers.ts'
import { pageOf } from './share.line.ts'
import { pages, refuseUpgrade, showPage } from './share.pages.ts'

/** Nothing may move for so long before an answer begins; what has begun to flow may take its time. */
const answerMs = 120_000

export interface Passage {
  /** What the guest is asked for. */
  url: string
  forwarded: Forwarded
  agent: Agent
  clock: Clock
  /** Calls back with the status of the answer. */
  onAnswer: (status: number) => void
}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** How the length of a body is told to the guest. */
const bodyHeaders = ({ headers, method }: IncomingMessage): string[] => {
  // The parser refuses a request that has both.
  if (headers['transfer-encoding'] !== undefined) return ['Transfer-Encoding', 'chunked']
  const needsLength =
    headers['content-length'] === undefined && !/^(GET|HEAD|DELETE|OPTIONS)$/.test(method ?? '')
  return needsLength ? ['Content-Length', '0'] : []
}

export function passOn(request: IncomingMessage, response: ServerResponse, passage: Passage): void {
  const withBody = hasBody(request)
  const headers = [...requestHeaders(request.rawHeaders, passage.forwarded), ...bodyHeaders(request)]
  let cancel = () => {}

  function attempt(isAgain: boolean): void {
    const upstream = ask({
      method: request.method ?? 'GET',
      path: passage.url,
      headers: headers as unknown as Record<string, string>,
      agent: passage.agent,
      // Node would add its own.
      setHost: false,
    })
    const wait = () => {
      cancel()
      if (response.headersSent) return
      cancel = passage.clock.after(answerMs, () => {
        showPage(pages.slow, request, response)
        upstream.destroy()
      })
    }
    wait()
    const abandon = () => upstream.destroy()
    response.once('close', () => {
      cancel()
      if (!response.writableFinished || !request.complete) abandon()
    })
    upstream.once('response', (answer) => {
      cancel()
      begin(answer, response, passage)
    })
    let hasFailed = false
    upstream.on('error', (error) => {
      if (hasFailed) return
      hasFailed = true
      cancel()
      if (response.headersSent || response.destroyed) return void response.destroy()
      // A connection that was kept had ended meanwhile; nothing was lost with it.
      if (upstream.reusedSocket && !withBody && !isAgain && isSafe(request)) return attempt(true)
      showPage(pageOf(error), request, response)
    })
    if (!withBody) {
      upstream.end()
      request.resume()
      return
    }
    request.on('data', wait)
    request.once('error', abandon)
    request.pipe(upstream)
  }

  attempt(false)
}

const isSafe = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

function begin(answer: IncomingMessage, response: ServerResponse, { onAnswer }: Passage): void {
  const status = answer.statusCode ?? 502
  try {
    response.writeHead(status, answer.statusMessage, responseHeaders(answer.rawHeaders))
  } catch {
    // What Node's parser took it may still refuse to write.
    answer.destroy()
    response.destroy()
    return
  }
  onAnswer(status)
  // Not by `pipeline`, which makes an abort signal for each request. What breaks off has to look so to the browser.
  answer.on('error', () => response.destroy()).once('close', () => answer.complete || response.destroy())
  answer.pipe(response)
  // Most often the body came along and takes the headers with it; events may come later, however far apart.
  setImmediate(() => response.flushHeaders())
}

/** Passes on a request to become a WebSocket; `socket` is the client's. */
export function passUpgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  passage: Omit<Passage, 'agent' | 'onAnswer'> & {
    open: () => Promise<Duplex>
    onOpen: (line: Duplex) => void
  },
): void {
  if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
    refuseUpgrade(pages.noUpgrade, request, socket)
    return
  }
  passage.open().then(
    (line) => shakeHands(line),
    (error: unknown) => refuseUpgrade(pageOf(error), request, socket),
  )

  function shakeHands(line: Duplex): void {
    if (socket.destroyed) return void line.destroy()
    passage.onOpen(line)
    const upstream: ClientRequest = ask({
      method: 'GET',
      path: passage.url,
      headers: [
        ...requestHeaders(request.rawHeaders, passage.forwarded),
        ...['Connection', 'Upgrade', 'Upgrade', 'websocket'],
      ] as unknown as Record<string, string>,
      createConnection: () => line,
      setHost: false,
    })
    const cancel = passage.clock.after(answerMs, () => fail(pages.slow))
    const fail = (page: Parameters<typeof refuseUpgrade>[0]) => {
      cancel()
      line.destroy()
      refuseUpgrade(page, request, socket)
    }
    const failed = (error: unknown) => fail(pageOf(error))
    socket.once('close', () => line.destroy())
    upstream.once('error', failed)
    upstream.once('upgrade', (answer, guest, rest) => {
      cancel()
      upstream.off('error', failed).on('error', () => guest.destroy())
      socket.write(headOf(answer, ['Connection: Upgrade', 'Upgrade: websocket']))
      if (rest.length > 0) socket.write(rest)
      if (head.length > 0) guest.write(head)
      join(socket, guest)
    })
    upstream.once('response', (answer) => {
      cancel()
      socket.write(headOf(answer, ['Connection: close']))
      pipeline(answer, socket, () => {})
    })
    upstream.end()
  }
}

function headOf(answer: IncomingMessage, more: readonly string[]): string {
  const headers = responseHeaders(answer.rawHeaders)
  const lines: string[] = []
  for (let i = 0; i + 1 < headers.length; i += 2) {
    // What follows ends with the connection; a length would be of what was taken apart already.
    if (headers[i]?.toLowerCase() !== 'content-length') lines.push(`${headers[i]}: ${headers[i + 1]}`)
  }
  return [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`, ...lines, ...more, '', ''].join('\r\n')
}
