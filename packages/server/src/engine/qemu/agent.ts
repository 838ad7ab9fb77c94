import { randomInt } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../lib/clock.ts'
import { withDeadline } from '../../lib/deadline.ts'
import { lineSplitter } from '../../lib/line-splitter.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { AGENT_CHANNEL } from './command-line.ts'
import { countOf, isRecord, nestsTooDeep, parseMessage, sumOf } from './lines.ts'
import { askForPorts } from './listening.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import type { Qmp } from './qmp.ts'

const SYNC_MS = 300
const FREEZE_MS = 5000
const THAW_MS = 5000
const ASK_MS = 3000
/** A short program has ended by then; its end is asked for, or the agent would remember it for ever. */
const PROGRAM_MS = 1000
/** Asking costs more than all else that is measured, here and in the guest: an answer is good for so long. */
const TRAFFIC_MS = 25_000
/** Together a minute: a guest whose agent is silent for longer has none. */
const CLOCK_TRIES = 60
const CLOCK_PAUSE_MS = 1000
/**
 * The guest writes what it likes, and the main thread reads it. An interface takes about 450 bytes of an answer, so
 * this is room for more than five hundred of them, and parsing so much takes a few milliseconds at worst.
 */
const LONGEST_ANSWER_BYTES = 256 * 1024
/** What may come in all, and in how many lines, until the answer to one question has come. */
const MOST_BYTES = 512 * 1024
const MOST_LINES = 64

/** What can be asked of the agent inside a guest. Commands: QEMU guest agent protocol reference. */
export interface Agent {
  execute(command: string, args: Record<string, unknown>, timeoutMs: number): Promise<unknown>
  close(): void
}

/** Nobody listens in the guest now. */
export class UnansweredError extends Error {}

/** The agent of a guest that has one and lets it answer; null else, at once when nothing in the guest listens. */
async function reachAgent(qmp: Qmp, socketPath: string): Promise<Agent | null> {
  if (!(await isListening(qmp))) return null
  try {
    return await talkTo(await connectUnix(socketPath))
  } catch {
    return null
  }
}

/**
 * The agent at the other end of a line; null when nobody answers there. Nothing is read while nothing is asked, and a
 * guest that sends more than an answer can be is hung up on.
 */
export async function talkTo(socket: Socket): Promise<Agent | null> {
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
        if ('error' in message) reject(new Error('The guest agent refused'))
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
    await ask({ execute: 'guest-sync', arguments: { id: sync } }, SYNC_MS, (answer) => answer === sync)
  } catch {
    socket.destroy()
    return null
  }
  return {
    execute: (execute, args, timeoutMs) => ask({ execute, arguments: args }, timeoutMs, () => true),
    close: () => socket.destroy(),
  }
}

async function isListening(qmp: Qmp): Promise<boolean> {
  const devices = await qmp.execute('query-chardev', undefined, ASK_MS).catch(() => null)
  const channel = (Array.isArray(devices) ? devices : [])
    .filter(isRecord)
    .find(({ label }) => label === AGENT_CHANNEL)
  return channel?.['frontend-open'] === true
}

/** The part of a held guest that talks to its agent. */
export function makeAgentTalk(machineId: string, qmp: Qmp, dirs: MachineDirs) {
  const mark = dirs.fileOf(machineId, fileNames.frozen)
  const reach = () => reachAgent(qmp, dirs.fileOf(machineId, fileNames.agent))
  let last: Promise<unknown> = Promise.resolve()
  let talks = 0
  let traffic: (Traffic & { at: number }) | null = null
  /** On a clock that nobody can set. */
  let trafficUntil = 0

  /** The agent listens to one at a time. */
  function inTurn<T>(talk: () => Promise<T>): Promise<T> {
    talks += 1
    const mine = last.then(talk).finally(() => {
      talks -= 1
    })
    last = mine.catch(() => {})
    return mine
  }

  /** Runs a talk when the agent is there and nobody else talks to it; null else, or when it fails. */
  async function askIfFree<T>(talk: (agent: Agent) => Promise<T>): Promise<T | null> {
    if (talks > 0) return null
    return inTurn(async () => {
      const agent = await reach()
      try {
        return agent && (await talk(agent))
      } catch {
        return null
      } finally {
        agent?.close()
      }
    })
  }

  async function thaw(agent: Agent): Promise<void> {
    await agent.execute('guest-fsfreeze-thaw', {}, THAW_MS)
    await rm(mark, { force: true })
  }
  /** Whether the guest has the time of now. */
  async function tryClock(): Promise<boolean> {
    const agent = await reach()
    try {
      await agent?.execute('guest-set-time', { time: Date.now() * 1_000_000 }, THAW_MS)
      return agent !== null
    } catch {
      return false
    } finally {
      agent?.close()
    }
  }

  return {
    /** Runs work with the guest's file systems frozen, as a moment for a copy. False: there is no agent to do it. */
    whileFrozen: (work: () => Promise<void>): Promise<boolean> =>
      inTurn(async () => {
        const agent = await reach()
        if (!agent) {
          await work()
          return false
        }
        let frozen = false
        try {
          // Written first, so that the next process thaws what this one leaves frozen when it is killed.
          await writeFile(mark, '')
          frozen = await agent.execute('guest-fsfreeze-freeze', {}, FREEZE_MS).then(
            (count) => Number(count) > 0,
            () => false,
          )
          await work()
        } finally {
          // Also when it seemed to fail: it may have come late.
          await thaw(agent).catch(() => {})
          agent.close()
        }
        return frozen
      }),

    /** Talks to the agent in its turn; throws an UnansweredError when there is none now. */
    talk: <T>(work: (agent: Agent) => Promise<T>): Promise<T> =>
      inTurn(async () => {
        const agent = await reach()
        if (!agent) throw new UnansweredError('No guest agent answers')
        return work(agent).finally(() => agent.close())
      }),

    /** Thaws what an earlier process has left frozen. */
    async thawIfLeft(): Promise<void> {
      if (!(await dirs.has(machineId, fileNames.frozen))) return
      await askIfFree(thaw)
    },

    /** Sets the guest's clock, which stood still in a saved memory. On a busy host the agent may take a while to answer. */
    async setClock(): Promise<void> {
      for (let tries = 0; tries < CLOCK_TRIES && !(await inTurn(tryClock)); tries += 1)
        await sleep(CLOCK_PAUSE_MS, undefined, { ref: false })
    },

    /** Tells the programs on a serial line how large their terminal is. False: it could not be told now. */
    async setTerminal(device: string, { cols, rows }: { cols: number; rows: number }): Promise<boolean> {
      const told = await askIfFree(async (agent) => {
        const arg = ['-F', device, 'cols', String(cols), 'rows', String(rows)]
        const begun = await agent.execute('guest-exec', { path: 'stty', arg }, ASK_MS)
        await sleep(PROGRAM_MS)
        const pid = isRecord(begun) ? countOf(begun.pid) : null
        await agent.execute('guest-exec-status', { pid }, ASK_MS)
        return true
      })
      return told === true
    },

    /** TCP ports that others can connect to; null when nobody tells, or tells somebody else something now. */
    listeningPorts: (): Promise<number[] | null> => askIfFree(askForPorts),

    /** Bytes that the network interfaces of the guest have moved so far; null when nobody tells. */
    async traffic(): Promise<(Traffic & { at: number }) | null> {
      if (performance.now() < trafficUntil) return traffic
      const answer = await askIfFree((agent) => agent.execute('guest-network-get-interfaces', {}, ASK_MS))
      const told = trafficIn(answer)
      traffic = told && { ...told, at: Date.now() }
      if (traffic) trafficUntil = performance.now() + TRAFFIC_MS
      return traffic
    },
  }
}

export type AgentTalk = Pick<ReturnType<typeof makeAgentTalk>, 'talk'>

interface Traffic {
  received: number
  sent: number
}

/**
 * Sums the counters of all interfaces but the loopback; null when they are no counters. QEMU guest agent reference,
 * "GuestNetworkInterfaceStat".
 */
export function trafficIn(answer: unknown): Traffic | null {
  const counters = (Array.isArray(answer) ? answer : [])
    .filter(isRecord)
    .filter(({ name }) => name !== 'lo')
    .map(({ statistics }) => statistics)
    .filter(isRecord)
  if (counters.length === 0) return null
  // A guest may tell anything; what cannot be calculated with counts as not told.
  const received = sumOf(counters.map((one) => one['rx-bytes']))
  const sent = sumOf(counters.map((one) => one['tx-bytes']))
  return received === null || sent === null ? null : { received, sent }
}
