import { setTimeout as sleep } from 'node:timers/promises'
import type { StartScriptForm, StartScriptResult } from '../engine.ts'
import { type Agent, AgentRefusal, isListening, reachAgent, SYNC_MS } from './agent-line.ts'
import { readTime } from './guest-time.ts'
import { countOf, isRecord, sumOf } from './lines.ts'
import { askForPorts } from './listening.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import type { Qmp } from './qmp.ts'
import { askForStartScript } from './start-script-result.ts'

const CLOCK_MS = 5000
const ASK_MS = 3000
/** A short program has ended by then; its end is asked for, or the agent would remember it for ever. */
const PROGRAM_MS = 1000
/** Asking costs more than all else that is measured, here and in the guest: an answer is good for so long. */
const TRAFFIC_MS = 25_000
/** A guest in which nothing listens for longer has no agent. */
const CLOCK_TRIES_MS = 60_000
/** A clock that is known to be off by less is right. */
const CLOCK_OFF_MS = 400
const CLOCK_PAUSE_MS = 200

/** Nobody listens in the guest now. */
export class UnansweredError extends Error {}

/** The part of a held guest that talks to its agent. */
export function makeAgentTalk(machineId: string, qmp: Qmp, dirs: MachineDirs) {
  const reach = (syncMs?: number) => reachAgent(qmp, dirs.fileOf(machineId, fileNames.agent), syncMs)
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

  async function tryClock(syncMs: number): Promise<'right' | 'unsure' | 'unanswered'> {
    const agent = await reach(syncMs)
    try {
      if (!agent) return 'unanswered'
      await agent.execute('guest-set-time', { time: Date.now() * 1_000_000 }, CLOCK_MS)
      const { aheadMs, openMs } = await readTime(agent, CLOCK_MS)
      return Math.abs(aheadMs) + openMs < CLOCK_OFF_MS ? 'right' : 'unsure'
    } catch (error) {
      return error instanceof AgentRefusal ? 'unsure' : 'unanswered'
    } finally {
      agent?.close()
    }
  }

  return {
    /** Talks to the agent in its turn; throws an UnansweredError when there is none now. */
    talk: <T>(work: (agent: Agent) => Promise<T>): Promise<T> =>
      inTurn(async () => {
        const agent = await reach()
        if (!agent) throw new UnansweredError('No guest agent answers')
        return work(agent).finally(() => agent.close())
      }),

    /** Whether there is an agent in the guest, busy or not. */
    isThere: () => isListening(qmp),

    /**
     * Sets the guest's clock, which stood still in a saved memory, and looks whether it is right then. On a busy host the
     * agent may take minutes to answer: it is asked, ever more patiently, as long as it listens.
     */
    async setClock(): Promise<void> {
      const latest = performance.now() + CLOCK_TRIES_MS
      for (let syncMs = SYNC_MS; ; syncMs = Math.min(2 * syncMs, CLOCK_MS)) {
        const outcome = await inTurn(() => tryClock(syncMs))
        if (outcome === 'right') return
        if (performance.now() > latest && (outcome === 'unsure' || !(await isListening(qmp)))) return
        await sleep(CLOCK_PAUSE_MS, undefined, { ref: false })
      }
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

    /** What came of the start script; null when nobody tells, or tells somebody else something now. */
    startScriptResult: (form: StartScriptForm): Promise<StartScriptResult | null> =>
      askIfFree((agent) => askForStartScript(agent, form)),

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
