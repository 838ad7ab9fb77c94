/** Connections to the guests behind shares. */
import type { Agent as HttpAgent } from 'node:http'
import { connect, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Clock } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { Agent } from '../lib/node-http.ts'
import { type Page, pages, refused, stopped } from './share.pages.ts'
import type { ShareRecord } from './share.state.ts'

/** A way to a port of a VM, or the sentence that says why there is none. */
export type Dial = (
  vmId: string,
  port: number,
) => Promise<{ at: { ip: string; port: number } } | { stream: Duplex } | { refused: string }>

/** In which a connection has to be there. */
const connectMs = 10_000
/** In which there has to be a way: a suspended VM is started first. */
const wayMs = 75_000
/** A connection that nobody uses is kept so long: many requests come one after the other. */
const idleMs = 4_000
const idleAtMost = 16
const openAtMost = 256

/** There is no connection; the page says why. */
export class NoLine extends Error {
  readonly page: Page
  constructor(page: Page, cause?: unknown) {
    super(page.title, { cause })
    this.page = page
  }
}

export function makeLines(options: {
  dial: Dial
  /** Whether a VM is meant to be reachable: its guest is up. */
  isRunning: (vmId: string) => Promise<boolean>
  clock: Clock
}) {
  const { dial, isRunning, clock } = options

  async function reason(share: ShareRecord, why: string, cause?: unknown): Promise<NoLine> {
    const runs = await isRunning(share.vmId).catch(() => true)
    return new NoLine(runs ? refused(share.vmName, share.port, why) : stopped(share.vmName), cause)
  }

  async function open(share: ShareRecord): Promise<Duplex> {
    const line = await withDeadline(dial(share.vmId, share.port), wayMs, 'The connection', clock).catch(
      async (error: unknown) => {
        throw await reason(share, 'Try again.', error)
      },
    )
    if ('refused' in line) throw await reason(share, line.refused)
    if ('stream' in line) return line.stream
    return new Promise((resolve, reject) => {
      const socket = connect({ host: line.at.ip, port: line.at.port, allowHalfOpen: true, noDelay: true })
      const cancel = clock.after(connectMs, () => socket.destroy(new Error('It took too long')))
      const fail = (error: NodeJS.ErrnoException) => {
        cancel()
        const why =
          error.code === 'ECONNREFUSED' ? 'No program is listening on it.' : 'The VM did not respond in time.'
        reason(share, why, error).then(reject, reject)
      }
      socket.once('error', fail)
      socket.once('connect', () => {
        cancel()
        socket.off('error', fail)
        resolve(socket)
      })
    })
  }

  /** One for each share: a connection to one guest is never used for another. */
  function agentOf(share: ShareRecord): HttpAgent {
    const agent = new Agent({ keepAlive: true, maxSockets: openAtMost, maxFreeSockets: idleAtMost })
    agent.createConnection = (_, done) => {
      open(share).then(
        (line) => done?.(null, line),
        // Nobody reads the connection of an error.
        (error: Error) => done?.(error, undefined as unknown as Duplex),
      )
      return undefined
    }
    const keep = agent.keepSocketAlive.bind(agent)
    // Only sockets tell in time that their other end is gone.
    agent.keepSocketAlive = (line: Duplex) => {
      if (!(line instanceof Socket)) return false
      keep(line)
      line.setTimeout(idleMs)
      return true
    }
    return agent
  }

  return { open, agentOf }
}

/** What to say when a connection or its request failed. */
export const pageOf = (error: unknown): Page => (error instanceof NoLine ? error.page : pages.broken)
