import { randomInt } from 'node:crypto'
import type { Socket } from 'node:net'
import { systemClock } from '../../lib/clock.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { lineSplitter } from '../../lib/line-splitter.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { AGENT_CHANNEL } from './command-line.ts'
import { isRecord, nestsTooDeep, parseMessage } from './lines.ts'
import type { Qmp } from './qmp.ts'

/** How long the agent may take to take up a talk. */
export const SYNC_MS = 300
const LOOK_MS = 3000
/**
 * The guest writes what it likes, and the main thread reads it. An interface takes about 450 bytes of an answer, so
 * this is room for more than five hundred of them, and parsing so much takes a few milliseconds at worst.
 */
const LONGEST_ANSWER_BYTES = 256 * 1024
/** What may come in all, and in how many lines, until the answer to one question has come. */
const MOST_BYTES = 512 * 1024
const MOST_LINES = 64

/** The agent says that it cannot, or must not. */
export class AgentRefusal extends Error {}

/** What can be asked of the agent inside a guest. Commands: QEMU guest agent protocol reference. */
export interface Agent {
  execute(command: string, args: Record<string, unknown>, timeoutMs: number): Promise<unknown>
  close(): void
}

/** The agent of a guest that has one and lets it answer; null else, at once when nothing in the guest listens. */
export async function reachAgent(qmp: Qmp, socketPath: string, syncMs = SYNC_MS): Promise<Agent | null> {
  if (!(await isListening(qmp))) return null
  try {
    return await talkTo(await connectUnix(socketPath), syncMs)
  } catch {
    return null
  }
}

/**
 * The agent at the other end of a line; null when nobody answers there. Nothing is read while nothing is asked, and a
 * guest that sends more than an answer can be is hung up on.
 */
export async function talkTo(socket: Socket, syncMs = SYNC_MS): Promise<Agent | null> {
  let asking: ((message: Record<string, unknown>) => void) | null = null
  let refuse: (why: Error) => void = () => {}
  let bytes = 0
  let lines = 0

  function hangUp(why: string): void {
    socket.destroy()
    refuse(new Error(why))
  }
  function takeLine(line: string): void {
    if (socket.destroyed) return
    lines += 1
    if (lines > MOST_LINES) {
      hangUp('The guest agent talks without end')
      return
    }
    // The agent may put a byte before a line, so that a half line of an earlier talk is passed over.
    const start = line.indexOf('{')
    if (start < 0 || nestsTooDeep(line)) return
    const message = parseMessage(start === 0 ? line : line.slice(start))
    if (message) asking?.(message)
  }
  const split = lineSplitter(takeLine, {
    maxBytes: LONGEST_ANSWER_BYTES,
    onTooLong: () => hangUp('The guest agent sends a line without end'),
  })
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MOST_BYTES) hangUp('The guest agent talks without end')
    else split(chunk)
  })
  socket.on('close', () => refuse(new Error('The guest agent is gone')))
  socket.pause()

  const ask = (
    request: Record<string, unknown>,
    timeoutMs: number,
    isAnswer: (answer: unknown) => boolean,
  ): Promise<unknown> => {
    const answer = new Promise<unknown>((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('The guest agent is gone'))
      refuse = reject
      asking = (message) => {
        if ('error' in message) reject(new AgentRefusal('The guest agent refused'))
        else if ('return' in message && isAnswer(message.return)) resolve(message.return)
      }
      bytes = 0
      lines = 0
      socket.write(`${JSON.stringify(request)}\n`)
      socket.resume()
    })
    return withDeadline(answer, timeoutMs, 'The guest agent', systemClock).finally(() => {
      asking = null
      socket.pause()
    })
  }

  const sync = randomInt(1, 2 ** 31)
  try {
    await ask({ execute: 'guest-sync', arguments: { id: sync } }, syncMs, (answer) => answer === sync)
  } catch {
    socket.destroy()
    return null
  }
  return {
    execute: (execute, args, timeoutMs) => ask({ execute, arguments: args }, timeoutMs, () => true),
    close: () => socket.destroy(),
  }
}

/** Whether something in the guest listens for questions, however busy it is. */
export async function isListening(qmp: Qmp): Promise<boolean> {
  const devices = await qmp.execute('query-chardev', undefined, LOOK_MS).catch(() => null)
  const channel = (Array.isArray(devices) ? devices : [])
    .filter(isRecord)
    .find(({ label }) => label === AGENT_CHANNEL)
  return channel?.['frontend-open'] === true
}
