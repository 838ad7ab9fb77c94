import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Address } from '../engine.ts'
import { READY_CHANNEL } from './command-line.ts'
import { fileNames, type MachineDirs, type RunRecord } from './machine-dir.ts'
import { isRunOf } from './process.ts'
import { connectQmp, isRecord, type Qmp } from './qmp.ts'

/** A living guest that this engine holds the line to. */
export interface Guest {
  readonly run: RunRecord
  readonly address: Address
  readonly pid: number
  readonly qmp: Qmp
  isReady(): boolean
  /** Resolves when its process is gone, or a moment after it was released. */
  readonly gone: Promise<void>
  /** Lets go of it; the guest lives on. */
  release(): void
}

export interface GuestHolder {
  dirs: MachineDirs
  log: Log
  /** The guest got ready, restarted inside, or is gone. */
  onChange: (machineId: string) => void
}

/** A guest that never says it is up may be of a foreign image: after this time its port is asked anyway. */
const SILENCE_MS = 30_000
const GREETING_MS = 10_000
const BANNER_MS = 2000
const RETRY_STARVED_MS = 10_000

/**
 * Takes hold of a living guest: starts it when it waits for that, follows its events and finds out when it is
 * ready. Its port is not touched before the guest says it is up: user networking accepts a connection to a guest
 * that has no network yet, and then takes about six seconds to notice that it has one.
 */
export async function holdGuest(
  machineId: string,
  { run, address, pid }: { run: RunRecord; address: Address; pid: number },
  { dirs, log, onChange }: GuestHolder,
): Promise<Guest> {
  const qmp = await connectQmp(dirs.fileOf(machineId, fileNames.qmp), GREETING_MS)
  let ready = false
  let released = false
  /** Counts the guest's own restarts; what was begun in an earlier count is void. */
  let life = 0
  let silence: NodeJS.Timeout | undefined

  const askPort = async (pauseMs: number) => {
    clearTimeout(silence)
    const inLife = life
    while (!released && inLife === life && !ready) {
      if (await answersSsh(address)) {
        if (released || inLife !== life) return
        ready = true
        await dirs.writeMark(machineId, 'ready', run.run).catch(() => {})
        onChange(machineId)
        return
      }
      await sleep(pauseMs, undefined, { ref: false })
    }
  }
  const waitForWord = (ms: number) => {
    clearTimeout(silence)
    silence = setTimeout(() => askPort(2000), ms)
    silence.unref()
  }

  const resumeWhenThereIsRoom = async () => {
    if (released || (await statusOf(qmp)) !== 'io-error') return
    log.warn({ machine: machineId }, 'A guest is on hold because the disk of the host is full')
    await qmp.execute('cont')
    setTimeout(() => resumeWhenThereIsRoom().catch(() => {}), RETRY_STARVED_MS).unref()
  }

  qmp.onEvent(({ event, data }) => {
    if (event === 'VSERPORT_CHANGE' && data.id === READY_CHANNEL && data.open === true) {
      if (!ready) void askPort(100)
    } else if (event === 'RESET' && data.guest === true) {
      life += 1
      ready = false
      rm(dirs.fileOf(machineId, fileNames.ready), { force: true }).catch(() => {})
      waitForWord(SILENCE_MS)
      onChange(machineId)
    } else if (event === 'STOP') {
      setTimeout(() => resumeWhenThereIsRoom().catch(() => {}), RETRY_STARVED_MS).unref()
    }
  })

  const gone = new Promise<void>((resolve) => qmp.onClose(resolve)).then(async () => {
    clearTimeout(silence)
    released = true
    // The line closes a moment before the process is gone.
    for (let look = 0; look < 250 && (await isRunOf(pid, machineId, run.run)); look += 1) {
      await sleep(20, undefined, { ref: false })
    }
  })

  const status = await statusOf(qmp)
  if (status === 'prelaunch') await qmp.execute('cont')
  if (status === 'io-error') await resumeWhenThereIsRoom()
  if ((await dirs.readMark(machineId, 'ready')) === run.run || (await saidReady(qmp))) void askPort(100)
  else waitForWord(Math.max(0, run.startedAt + SILENCE_MS - Date.now()))

  return {
    run,
    address,
    pid,
    qmp,
    isReady: () => ready,
    gone,
    release() {
      released = true
      clearTimeout(silence)
      qmp.close()
    },
  }
}

async function statusOf(qmp: Qmp): Promise<unknown> {
  const answer = await qmp.execute('query-status')
  return isRecord(answer) ? answer.status : null
}

async function saidReady(qmp: Qmp): Promise<boolean> {
  const text = await qmp.execute('ringbuf-read', { device: READY_CHANNEL, size: 1024 })
  return typeof text === 'string' && text.includes('ready')
}

/** Whether an SSH server greets at an address. */
function answersSsh({ ip, port }: Address): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(BANNER_MS, () => end(false))
    socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith('SSH-')))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}
