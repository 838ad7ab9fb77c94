import { randomInt } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { AGENT_CHANNEL } from './command-line.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { connectUnix, isRecord, lineSplitter, parseMessage, type Qmp } from './qmp.ts'

const SYNC_MS = 300
const FREEZE_MS = 5000
const THAW_MS = 5000
const ASK_MS = 3000
/** A short program has ended by then; its end is asked for, or the agent would remember it for ever. */
const PROGRAM_MS = 1000
/** Asking costs more than all else that is measured, here and in the guest: an answer is good for so long. */
const TRAFFIC_MS = 25_000

/** What can be asked of the agent inside a guest. Commands: QEMU guest agent protocol reference. */
export interface Agent {
  execute(command: string, args: Record<string, unknown>, timeoutMs: number): Promise<unknown>
  close(): void
}

/** The agent of a guest that has one and lets it answer; null else, at once when nothing in the guest listens. */
async function reachAgent(qmp: Qmp, socketPath: string): Promise<Agent | null> {
  if (!(await isListening(qmp))) return null
  try {
    const socket = await connectUnix(socketPath)
    const listeners = new Set<(message: Record<string, unknown>) => void>()
    socket.on(
      'data',
      lineSplitter((line) => {
        // The agent may put a byte before a line, so that a half line of an earlier talk is passed over.
        const message = parseMessage(line.replace(/^[^{]*/, ''))
        if (message) for (const listener of listeners) listener(message)
      }),
    )
    const ask = (
      request: Record<string, unknown>,
      timeoutMs: number,
      isAnswer: (answer: unknown) => boolean,
    ) =>
      new Promise<unknown>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer)
          listeners.delete(listen)
        }
        const listen = (message: Record<string, unknown>) => {
          if ('error' in message) reject(new Error('The guest agent refused'))
          else if ('return' in message && isAnswer(message.return)) resolve(message.return)
          else return
          end()
        }
        const timer = setTimeout(() => {
          end()
          reject(new Error('The guest agent does not answer'))
        }, timeoutMs)
        listeners.add(listen)
        socket.write(`${JSON.stringify(request)}\n`)
      })
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
  } catch {
    return null
  }
}

async function isListening(qmp: Qmp): Promise<boolean> {
  const devices = await qmp.execute('query-chardev').catch(() => null)
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

    /** Thaws what an earlier process has left frozen. */
    async thawIfLeft(): Promise<void> {
      if (!(await dirs.has(machineId, fileNames.frozen))) return
      await askIfFree(thaw)
    },

    /** Sets the guest's clock, which stood still in a saved memory. */
    setClock: (): Promise<void> =>
      inTurn(async () => {
        const agent = await reach()
        await agent?.execute('guest-set-time', { time: Date.now() * 1_000_000 }, THAW_MS).catch(() => {})
        agent?.close()
      }),

    /** Tells the programs on a serial line how large their terminal is. False: it could not be told now. */
    async setTerminal(device: string, { cols, rows }: { cols: number; rows: number }): Promise<boolean> {
      const told = await askIfFree(async (agent) => {
        const arg = ['-F', device, 'cols', String(cols), 'rows', String(rows)]
        const begun = await agent.execute('guest-exec', { path: 'stty', arg }, ASK_MS)
        await sleep(PROGRAM_MS)
        const pid = isRecord(begun) ? begun.pid : undefined
        await agent.execute('guest-exec-status', { pid }, ASK_MS)
        return true
      })
      return told === true
    },

    /** Bytes that the network interfaces of the guest have moved so far; null when nobody tells. */
    async traffic(): Promise<(Traffic & { at: number }) | null> {
      if (traffic && Date.now() - traffic.at < TRAFFIC_MS) return traffic
      const answer = await askIfFree((agent) => agent.execute('guest-network-get-interfaces', {}, ASK_MS))
      const told = trafficIn(answer)
      traffic = told && { ...told, at: Date.now() }
      return traffic
    },
  }
}

interface Traffic {
  received: number
  sent: number
}

/** Sums the counters of all interfaces but the loopback. QEMU guest agent reference, "GuestNetworkInterfaceStat". */
export function trafficIn(answer: unknown): Traffic | null {
  const counters = (Array.isArray(answer) ? answer : [])
    .filter(isRecord)
    .filter(({ name }) => name !== 'lo')
    .map(({ statistics }) => statistics)
    .filter(isRecord)
  if (counters.length === 0) return null
  const sum = (name: string) => counters.reduce((total, each) => total + (Number(each[name]) || 0), 0)
  return { received: sum('rx-bytes'), sent: sum('tx-bytes') }
}
