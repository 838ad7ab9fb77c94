import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { Address } from '../engine.ts'
import { READY_CHANNEL } from './command-line.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import type { Qmp } from './qmp.ts'
import type { RunRecord } from './records.ts'

/** A guest that never says it is up may be of a foreign image: after this time its port is asked anyway. */
export const SILENCE_MS = 30_000
/**
 * How long a greeting is waited for: at first, and at most. A guest that is slow, or that was asked before it had a
 * network, needs longer than is sensible to begin with.
 */
const BANNER_MS = 2000
const LONGEST_BANNER_MS = 16_000
/** Pauses between two tries: of a guest that said it is up, and of one that said nothing. */
const SAID_PAUSE_MS = 100
const SILENT_PAUSE_MS = 2000

/**
 * Finds out when a guest is ready. Its port is not touched before the guest says it is up: user networking accepts a
 * connection to a guest that has no network yet, and then takes about six seconds to notice that it has one.
 *
 * Ready is a fact of a run: once reached it stays, and a mark on the disk keeps it for the next process, whether port
 * 22 answers then or not. Only a restart of the guest itself begins anew.
 */
export function makeReadiness(deps: {
  machineId: string
  run: RunRecord
  address: Address
  qmp: Qmp
  dirs: MachineDirs
  log: Log
  /** The guest got ready. */
  onReady: () => void
}) {
  const { machineId, run, address, qmp, dirs, log, onReady } = deps
  let ready = false
  let stopped = false
  /** One that takes its identity says that it is up when it has; who takes hold of it hears that otherwise, and tells. */
  let awaited = false
  /** Counts the guest's own restarts; what was begun in an earlier count is void. */
  let life = 0
  let silence: NodeJS.Timeout | undefined

  async function askPort(pauseMs: number): Promise<void> {
    clearTimeout(silence)
    const inLife = life
    let patienceMs = BANNER_MS
    while (!stopped && inLife === life && !ready) {
      if (await answersSsh(address, patienceMs)) {
        if (stopped || inLife !== life) return
        ready = true
        await dirs.markReady(machineId, run.run)
        onReady()
        return
      }
      await sleep(pauseMs, undefined, { ref: false })
      patienceMs = Math.min(patienceMs * 2, LONGEST_BANNER_MS)
    }
  }

  const ask = (pauseMs: number) => inBackground(log, 'asking whether a guest is ready', askPort(pauseMs))

  function waitForWord(ms: number): void {
    clearTimeout(silence)
    silence = setTimeout(() => ask(SILENT_PAUSE_MS), ms)
    silence.unref()
  }

  async function forgetReady(): Promise<void> {
    await rm(dirs.fileOf(machineId, fileNames.ready), { force: true })
  }

  qmp.onEvent(['VSERPORT_CHANGE'], ({ data }) => {
    if (awaited && data.id === READY_CHANNEL && data.open === true && !ready) ask(SAID_PAUSE_MS)
  })

  return {
    isReady: () => ready,

    /** Looks where a guest stands that was taken hold of. */
    async begin(): Promise<void> {
      awaited = true
      if (await dirs.wasReady(machineId, run.run)) ready = true
      else if (run.resumed || run.warm || (await saidReady(qmp))) ask(SAID_PAUSE_MS)
      // It may have started in the future: the clock can be set back.
      else waitForWord(Math.min(SILENCE_MS, Math.max(0, run.startedAt + SILENCE_MS - Date.now())))
    },

    /** The guest is up, although it does not say so again. */
    isUp(): void {
      awaited = true
      ask(SAID_PAUSE_MS)
    },

    /** The guest restarted itself. */
    beginAnew(): void {
      awaited = true
      life += 1
      ready = false
      inBackground(log, 'forgetting that a guest was ready', forgetReady())
      waitForWord(SILENCE_MS)
    },

    stop(): void {
      stopped = true
      clearTimeout(silence)
    },
  }
}

export async function saidReady(qmp: Qmp): Promise<boolean> {
  const text = await qmp.execute('ringbuf-read', { device: READY_CHANNEL, size: 1024 })
  return typeof text === 'string' && text.includes('ready')
}

/** Whether an SSH server greets at an address in time. */
function answersSsh({ ip, port }: Address, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port })
    const end = (answer: boolean) => {
      clearTimeout(late)
      socket.destroy()
      resolve(answer)
    }
    const late = setTimeout(() => end(false), patienceMs)
    late.unref()
    socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith('SSH-')))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}
