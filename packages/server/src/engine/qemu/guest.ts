import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Address } from '../engine.ts'
import { makeAgentTalk } from './agent.ts'
import { type BlockHost, LENT, makeLending } from './block-host.ts'
import { clearCopies, namedNodes } from './block-jobs.ts'
import { READY_CHANNEL, volumeNode } from './command-line.ts'
import { processorThreads } from './cpu-usage.ts'
import { fileNames, type MachineDirs, type RunRecord, type VolumePlace } from './machine-dir.ts'
import { cancelMigration, goOn, statusOf } from './memory.ts'
import { isRunOf } from './process.ts'
import { connectQmp, isRecord, type Qmp } from './qmp.ts'
import { followMemory } from './usage.ts'

/** A living guest that this engine holds the line to. */
export interface Guest {
  readonly run: RunRecord
  readonly address: Address
  readonly pid: number
  /** The threads of its process that run its processors. */
  readonly processors: readonly number[]
  readonly qmp: Qmp
  /** For copies of its disks. */
  readonly host: BlockHost
  readonly agent: ReturnType<typeof makeAgentTalk>
  /** The data volumes it has, as far as it has not given them back itself. */
  volumes(): readonly VolumePlace[]
  /** Keeps account of a volume that was plugged in. */
  hasVolume(place: VolumePlace): void
  /** Resolves when it has given back the volume on a port, false after `ms`. */
  givesBack(port: number, ms: number): Promise<boolean>
  isReady(): boolean
  /** Resolves when its process is gone, or a moment after it was released. */
  readonly gone: Promise<void>
  /** Lets go of it; the guest lives on. */
  release(): void
}

export interface GuestHolder {
  dirs: MachineDirs
  log: Log
  /** The user guests run as; null when it is the server's own. */
  guestUid: number | null
  /** Called before the guest runs for the first time. */
  beforeFirst: () => Promise<void>
  /** The guest gave back a volume. */
  onVolumeBack: (volumeId: string) => void
  /** The guest restarted itself. */
  onRestart: () => void
  /** The guest got ready, restarted inside, or is gone. */
  onChange: (machineId: string) => void
}

/** A guest that never says it is up may be of a foreign image: after this time its port is asked anyway. */
const SILENCE_MS = 30_000
const GREETING_MS = 10_000
/** While a saved memory is loaded, QEMU listens to nobody. */
const LOADING_MS = 300_000
/**
 * How long a greeting is waited for: at first, and at most. A guest that is slow, or that was asked before it had a
 * network, needs longer than is sensible to begin with.
 */
const BANNER_MS = 2000
const LONGEST_BANNER_MS = 16_000
const RETRY_STARVED_MS = 10_000

/**
 * Takes hold of a living guest: starts it when it waits for that, follows its events and finds out when it is
 * ready. Its port is not touched before the guest says it is up: user networking accepts a connection to a guest
 * that has no network yet, and then takes about six seconds to notice that it has one.
 */
export async function holdGuest(
  machineId: string,
  { run, address, pid }: { run: RunRecord; address: Address; pid: number },
  { dirs, log, guestUid, beforeFirst, onVolumeBack, onRestart, onChange }: GuestHolder,
): Promise<Guest> {
  const patience = run.resumed ? LOADING_MS : GREETING_MS
  const qmp = await connectQmp(dirs.fileOf(machineId, fileNames.qmp), patience)
  const agent = makeAgentTalk(machineId, qmp, dirs)
  const plugged = new Map<number, string>()
  const waitingForPort = new Map<number, () => void>()
  let ready = false
  let released = false
  /** Counts the guest's own restarts; what was begun in an earlier count is void. */
  let life = 0
  let silence: NodeJS.Timeout | undefined

  const askPort = async (pauseMs: number) => {
    clearTimeout(silence)
    const inLife = life
    let patienceMs = BANNER_MS
    while (!released && inLife === life && !ready) {
      if (await answersSsh(address, patienceMs)) {
        if (released || inLife !== life) return
        ready = true
        await dirs.writeMark(machineId, 'ready', run.run).catch(() => {})
        onChange(machineId)
        return
      }
      await sleep(pauseMs, undefined, { ref: false })
      patienceMs = Math.min(patienceMs * 2, LONGEST_BANNER_MS)
    }
  }
  const waitForWord = (ms: number) => {
    clearTimeout(silence)
    silence = setTimeout(() => askPort(2000), ms)
    silence.unref()
  }

  const resumeWhenThereIsRoom = async () => {
    if (released || (await statusOf(qmp)) !== 'io-error') return
    log.warn({ machine: machineId }, 'A guest is on hold because the host cannot write what it writes')
    await qmp.execute('cont')
    setTimeout(() => resumeWhenThereIsRoom().catch(() => {}), RETRY_STARVED_MS).unref()
  }

  /** A guest gives a volume back when it was asked to, or of its own will, or long after it was asked. */
  const givenBack = async (device: unknown) => {
    const place = [...plugged].find(([port]) => volumeNode(port) === device)
    if (!place) return
    const [port, volumeId] = place
    // A copy that is being made of it keeps the file open for itself.
    await qmp.execute('blockdev-del', { 'node-name': volumeNode(port) })
    plugged.delete(port)
    waitingForPort.get(port)?.()
    onVolumeBack(volumeId)
  }

  qmp.onEvent(({ event, data }) => {
    if (event === 'VSERPORT_CHANGE' && data.id === READY_CHANNEL && data.open === true) {
      if (!ready) void askPort(100)
    } else if (event === 'RESET' && data.guest === true) {
      life += 1
      ready = false
      rm(dirs.fileOf(machineId, fileNames.ready), { force: true }).catch(() => {})
      waitForWord(SILENCE_MS)
      onRestart()
      onChange(machineId)
    } else if (event === 'DEVICE_DELETED' && data.device !== undefined) {
      givenBack(data.device).catch((error: unknown) =>
        log.warn({ machine: machineId, error }, 'A volume a guest gave back could not be let go'),
      )
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

  /** What the process has open tells more than any record: a crash may have come between the two. */
  const takeStockOfVolumes = async () => {
    const used = await devicesOf(qmp)
    for (const { name, file } of await namedNodes(qmp)) {
      const port = Number(/^volume(\d+)$/.exec(name)?.[1] ?? Number.NaN)
      const id = basename(file)
        .replace(LENT, '')
        .replace(/\.qcow2$/, '')
      if (Number.isNaN(port)) continue
      if (used.has(name)) plugged.set(port, id)
      else await qmp.execute('blockdev-del', { 'node-name': name })
    }
  }

  // An earlier process may have been killed in the middle of anything it did to the guest.
  await cancelMigration(qmp)
  await clearCopies(qmp)
  await takeStockOfVolumes()
  await dirs.clearLent(machineId)
  while ((await statusOf(qmp)) === 'inmigrate') await sleep(20)
  const processors = await processorThreads(qmp)
  // Guests of earlier versions may lack the device.
  await followMemory(qmp).catch(() => {})
  const status = await statusOf(qmp)
  if (status === 'prelaunch' || (run.resumed && status === 'paused')) await beforeFirst()
  await goOn(qmp)
  await agent.thawIfLeft()
  if (run.resumed && status === 'paused') void agent.setClock()
  if (status === 'io-error')
    setTimeout(() => resumeWhenThereIsRoom().catch(() => {}), RETRY_STARVED_MS).unref()
  const saidSo =
    run.resumed || (await dirs.readMark(machineId, 'ready')) === run.run || (await saidReady(qmp))
  if (saidSo) void askPort(100)
  else waitForWord(Math.max(0, run.startedAt + SILENCE_MS - Date.now()))

  return {
    run,
    address,
    pid,
    processors,
    qmp,
    host: {
      qmp,
      lend: makeLending(dirs.pathOf(machineId), guestUid),
      isStuck: async () => (await statusOf(qmp)) === 'io-error',
      goOn: () => goOn(qmp),
    },
    agent,
    volumes: () => [...plugged].map(([port, id]) => ({ id, port })),
    hasVolume: ({ id, port }) => plugged.set(port, id),
    async givesBack(port, ms) {
      if (!plugged.has(port)) return true
      const back = new Promise<boolean>((resolve) => waitingForPort.set(port, () => resolve(true)))
      const late = sleep(ms, false, { ref: false })
      return Promise.race([back, late, gone.then(() => true)]).finally(() => waitingForPort.delete(port))
    },
    isReady: () => ready,
    gone,
    release() {
      released = true
      clearTimeout(silence)
      qmp.close()
    },
  }
}

/** Whether the process of a guest, if there was one, has ended. */
export const isGone = async (machineId: string, guest: Guest | null): Promise<boolean> =>
  guest !== null && !(await isRunOf(guest.pid, machineId, guest.run.run))

/** The names of devices that have a disk. */
async function devicesOf(qmp: Qmp): Promise<Set<string>> {
  const blocks = await qmp.execute('query-block')
  return new Set(
    (Array.isArray(blocks) ? blocks : [])
      .filter(isRecord)
      .flatMap(({ qdev }) => (typeof qdev === 'string' ? deviceName(qdev) : [])),
  )
}

/** A device is told by its name or, under virtio, by a path of which the name is a part. */
const deviceName = (path: string): string =>
  path.replace(/^\/machine\/peripheral\//, '').split('/')[0] ?? path

async function saidReady(qmp: Qmp): Promise<boolean> {
  const text = await qmp.execute('ringbuf-read', { device: READY_CHANNEL, size: 1024 })
  return typeof text === 'string' && text.includes('ready')
}

/** Whether an SSH server greets at an address in time. */
function answersSsh({ ip, port }: Address, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: ip, port })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(patienceMs, () => end(false))
    socket.once('data', (chunk) => end(chunk.toString('latin1').startsWith('SSH-')))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}
