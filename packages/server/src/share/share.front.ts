/**
 * Where shares are opened: every server keeps all of them in memory, listens at the ports of those that have one, and
 * answers for the names below the domain of shares. What is taken back ends at once, with all that is open through it.
 */
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { clientAddressOf, makeAddressList } from '../lib/client-address.ts'
import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import { join } from '../lib/join.ts'
import type { Log } from '../lib/log.ts'
import { createServer as createHttpServer } from '../lib/node-http.ts'
import type { Uses } from '../lib/uses.ts'
import { isReachable, labelIn } from './share.address.ts'
import { makeCrowd } from './share.crowd.ts'
import { makeDoor } from './share.door.ts'
import { type Entry, makeEntries } from './share.entries.ts'
import type { Forwarded } from './share.headers.ts'
import { type Dial, makeLines } from './share.line.ts'
import { isVisit, leadTo, type Page, pages, refuseUpgrade, showPage } from './share.pages.ts'
import { hasBody, passOn, passUpgrade } from './share.proxy.ts'
import type { ShareRecord, ShareWays } from './share.state.ts'
import type { makeVisits } from './share.visits.ts'

/** A port that another program has may be free later. */
const listenAgainMs = 2_000
/** How often it is looked whether those who came in by a session still may. Sign-outs are known at once. */
const checkEveryMs = 15_000

export interface ShareFrontOptions {
  ways: ShareWays
  /** The address to listen at. */
  host: string
  isSecure: boolean
  trustedProxies: readonly string[]
  /** All shares, or those of these ids that are left. */
  read: (ids: readonly string[] | 'all') => Promise<ShareRecord[]>
  isMember: (share: ShareRecord, sessionId: string) => Promise<boolean>
  takeCode: (share: ShareRecord, code: string) => Promise<string | null>
  handOver: (share: ShareRecord, request: IncomingMessage, path: string) => string
  dial: Dial
  isRunning: (vmId: string) => Promise<boolean>
  visits: ReturnType<typeof makeVisits>
  uses: Pick<Uses, 'begin'>
  clock: Clock
  log: Pick<Log, 'error' | 'warn'>
}

export function makeShareFront(options: ShareFrontOptions) {
  const { ways, host, isSecure, isMember, visits, clock, log } = options
  const isTrusted = makeAddressList(options.trustedProxies)
  // A proxy on this machine may well be in use without being named.
  const crowd = makeCrowd(makeAddressList(['loopback', ...options.trustedProxies]))
  const lines = makeLines(options)
  const door = makeDoor(options)
  const entries = makeEntries({
    read: options.read,
    agentOf: lines.agentOf,
    onAdded: listen,
    onRemoved: ({ share }) => stopListening(share.id),
    uses: options.uses,
    clock,
    log,
  })
  const listeners = new Map<string, Server>()
  /** Those whose ports others have. */
  const missed = new Set<string>()
  let isClosed = false
  let cancelCheck: (() => void) | null = null

  /** Listens at the port of a share, as often as it takes. */
  function listen(entry: Entry): void {
    const { id, hostPort, kind } = entry.share
    const isByName = kind === 'http' && ways.domain !== null
    if (isByName || hostPort === null || !isReachable(entry.share, ways) || listeners.has(id)) return
    const server = kind === 'http' ? httpServer(id) : createServer({ allowHalfOpen: true, noDelay: true })
    if (kind === 'tcp')
      server.on('connection', (socket: Socket) => inBackground(log, 'a TCP share', carry(id, socket)))
    listeners.set(id, server)
    server.on('error', (error: NodeJS.ErrnoException) => {
      // Said once: another server on this host may have it for as long as it runs.
      if (!missed.has(id))
        log.warn({ err: error, port: hostPort }, 'A shared port cannot be listened at; it is tried again')
      missed.add(id)
      listeners.delete(id)
      clock.after(listenAgainMs, () => {
        const later = entries.get(id)
        if (later && !isClosed) listen(later)
      })
    })
    server.listen({ host, port: hostPort, exclusive: true })
  }

  function httpServer(id: string): HttpServer {
    const server = createHttpServer({
      // An upload may take as long as it takes; while nothing moves, `passOn` counts.
      requestTimeout: 0,
      headersTimeout: 15_000,
      connectionsCheckingInterval: 5_000,
    })
    server.on('request', (request, response) => serve(entries.get(id), request, response))
    server.on('upgrade', (request, socket, head) => upgrade(entries.get(id), request, socket, head))
    server.on('clientError', (_, socket) => socket.destroy())
    return server
  }

  function stopListening(id: string): void {
    const server = listeners.get(id)
    listeners.delete(id)
    missed.delete(id)
    server?.close()
    if (server && 'closeAllConnections' in server) (server as HttpServer).closeAllConnections()
  }

  const addressOf = (request: IncomingMessage): string =>
    clientAddressOf(
      request.socket.remoteAddress ?? '',
      [request.headers['x-forwarded-for'] ?? []].flat().join(','),
      isTrusted,
    )

  /** What guests are told of where a request comes from; proxies that nobody trusts say nothing. */
  function forwardedOf(request: IncomingMessage): Forwarded {
    const isBehind = isTrusted(request.socket.remoteAddress ?? '')
    const said = (name: string) =>
      isBehind ? [request.headers[name] ?? []].flat()[0]?.split(',')[0]?.trim() : undefined
    const proto = said('x-forwarded-proto') ?? (isSecure ? 'https' : 'http')
    return {
      for: addressOf(request),
      proto: proto === 'https' ? 'https' : 'http',
      host: said('x-forwarded-host') ?? request.headers.host ?? '',
    }
  }

  /** Whether a share is to be opened: the clock says at once that its end is reached, also where nothing is deleted yet. */
  const isOpen = (entry: Entry | undefined): entry is Entry =>
    entry !== undefined && (entry.share.expiresAt === null || Date.parse(entry.share.expiresAt) > clock.now())

  /** Lets a request in that may come in; `refuse` answers it otherwise. */
  async function admit(
    entry: Entry | undefined,
    request: IncomingMessage,
    on: {
      refuse: (page: Page) => void
      led: (to: string, cookie?: string) => void
      closed: (then: () => void) => void
    },
  ): Promise<{ entry: Entry; url: string } | null> {
    if (!isOpen(entry)) {
      on.refuse(pages.gone)
      return null
    }
    const line = { sessionId: null as string | null, end: () => request.socket.destroy() }
    const leave = entries.hold(entry, line)
    on.closed(leave)
    const place = await crowd.enter(addressOf(request))
    if (typeof place === 'string') {
      on.refuse(pages[place])
      return null
    }
    on.closed(place.leave)
    if (request.headers['service-worker'] !== undefined) {
      on.refuse(pages.noServiceWorker)
      return null
    }
    const verdict = await door(entry.share, request)
    if (request.socket.destroyed) return null
    if (verdict.is === 'refused') on.refuse(verdict.page)
    else if (verdict.is === 'led') on.led(verdict.to, verdict.cookie)
    else {
      line.sessionId = verdict.sessionId
      if (line.sessionId !== null) checkLater()
      return { entry, url: verdict.url }
    }
    return null
  }

  function serve(entry: Entry | undefined, request: IncomingMessage, response: ServerResponse): void {
    request.socket.setTimeout(0)
    const refuse = (page: Page) => showPage(page, request, response)
    const closed = (then: () => void) => (response.closed ? then() : response.once('close', then))
    const led = (to: string, cookie?: string) => leadTo(to, response, cookie)
    const work = admit(entry, request, { refuse, led, closed }).then((admitted) => {
      if (!admitted) return
      const { id } = admitted.entry.share
      passOn(request, response, {
        url: admitted.url,
        forwarded: forwardedOf(request),
        agent: admitted.entry.agent,
        clock,
        onAnswer(status) {
          const isPage = (status >= 200 && status < 300) || status === 304
          if (isPage && request.method === 'GET' && isVisit(request)) visits.note(id)
        },
      })
    })
    inBackground(
      log,
      'a request to a shared port',
      work.catch((error: unknown) => {
        response.destroy()
        throw error
      }),
    )
  }

  function upgrade(entry: Entry | undefined, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    request.socket.setTimeout(0)
    socket.on('error', () => socket.destroy())
    const refuse = (page: Page) => refuseUpgrade(page, request, socket)
    const closed = (then: () => void) => (socket.closed ? then() : socket.once('close', then))
    const work = admit(entry, request, { refuse, led: () => refuse(pages.signIn), closed }).then(
      (admitted) => {
        if (!admitted) return
        passUpgrade(request, socket, head, {
          url: admitted.url,
          forwarded: forwardedOf(request),
          clock,
          open: () => lines.open(admitted.entry.share),
          onOpen: (line) => line.on('error', () => socket.destroy()),
        })
      },
    )
    inBackground(
      log,
      'a WebSocket of a shared port',
      work.catch((error: unknown) => {
        socket.destroy()
        throw error
      }),
    )
  }

  /** Carries a connection to a TCP share. */
  async function carry(id: string, socket: Socket): Promise<void> {
    socket.on('error', () => socket.destroy())
    const entry = entries.get(id)
    if (!isOpen(entry)) return void socket.destroy()
    socket.once('close', entries.hold(entry, { sessionId: null, end: () => socket.destroy() }))
    const place = await crowd.enter(socket.remoteAddress ?? '')
    if (typeof place === 'string') return void socket.destroy()
    if (socket.closed) place.leave()
    else socket.once('close', place.leave)
    const line = await lines.open(entry.share).catch(() => null)
    if (!line || socket.destroyed) {
      line?.destroy()
      socket.destroy()
      return
    }
    line.on('error', () => line.destroy())
    visits.note(id)
    join(socket, line)
  }

  /** Ends what was opened by sessions that are over without a word: expired, or of an account that was disabled. */
  async function check(): Promise<void> {
    for (const entry of entries.all()) {
      const bySession = Map.groupBy(entry.lines, ({ sessionId }) => sessionId)
      for (const [sessionId, open] of bySession)
        if (sessionId !== null && !(await isMember(entry.share, sessionId)))
          for (const line of open) line.end()
    }
  }

  function checkLater(): void {
    cancelCheck ??= clock.after(checkEveryMs, () => {
      cancelCheck = null
      const isNeeded = [...entries.all()].some(({ lines }) =>
        [...lines].some(({ sessionId }) => sessionId !== null),
      )
      if (!isNeeded || isClosed) return
      inBackground(log, 'checking sessions at shared ports', check())
      checkLater()
    })
  }

  return {
    /** Begins to listen. To be called again when what was heard of changes may not be all. */
    refreshAll: () => entries.refresh('all'),
    /** A share was created, changed or deleted. */
    refresh: (id: string) => entries.refresh([id]),
    idle: entries.idle,
    /** Looks at all sessions now: some have ended. */
    recheck: () => inBackground(log, 'checking sessions at shared ports', check()),

    /** Takes the requests of a server that are for names below the domain of shares, before anybody else sees them. */
    answerFor(server: HttpServer): void {
      const { domain } = ways
      if (domain === null) return
      const entryOf = (request: IncomingMessage) => {
        const label = labelIn(request.headers.host, domain)
        return label === null ? null : entries.byLabel(label)
      }
      // An upload to a share may take longer than a request to the console, which is bounded here instead.
      const requestMs = server.requestTimeout
      server.requestTimeout = 0
      const [others, otherUpgrades] = [server.listeners('request'), server.listeners('upgrade')]
      server.removeAllListeners('request').removeAllListeners('upgrade')
      server.on('request', (request, response) => {
        const entry = entryOf(request)
        if (entry !== null) return serve(entry, request, response)
        if (hasBody(request)) {
          const cancel = clock.after(requestMs, () => request.complete || request.socket.destroy())
          request.once('close', cancel)
        }
        for (const other of others) other.call(server, request, response)
      })
      server.on('upgrade', (request, socket, head) => {
        const entry = entryOf(request)
        if (entry !== null) return upgrade(entry, request, socket, head)
        for (const other of otherUpgrades) other.call(server, request, socket, head)
        if (otherUpgrades.length === 0) socket.destroy()
      })
    },

    async close(): Promise<void> {
      isClosed = true
      cancelCheck?.()
      entries.close()
      await visits.store()
    },
  }
}

/** Whether this host lets us listen at a port. */
export const canListenAt = (host: string) => (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(true)))
  })
