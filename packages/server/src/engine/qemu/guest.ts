import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { Address } from '../engine.ts'
import { makeAgentTalk } from './agent.ts'
import { type BlockHost, makeLending } from './block-host.ts'
import { clearCopies } from './block-jobs.ts'
import { watchBoot } from './boot-watch.ts'
import { processorThreads, processorTime } from './cpu-usage.ts'
import { makeFreezing } from './freezing.ts'
import { hasMore, useAllAdded } from './guest-units.ts'
import { makeGuestVolumes } from './guest-volumes.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { cancelMigration, goOn, statusOf } from './memory.ts'
import { isRunOf } from './process.ts'
import { connectQmp, type Qmp } from './qmp.ts'
import { makeReadiness, saidReady } from './readiness.ts'
import type { KeptSpec, RunRecord, VolumePlace } from './records.ts'
import { watchStarvation } from './starvation.ts'
import { followMemory } from './usage.ts'
import { beginLoading, memoryIsApart } from './warm/clone.ts'
import { readClock } from './warm/guest-clock.ts'
import { renewIdentity } from './warm/identity.ts'
import { addressOf } from './warm/identity-text.ts'

/** A living guest that this engine holds the line to. */
export interface Guest {
  readonly run: RunRecord
  readonly address: Address
  readonly pid: number
  /** The threads of its process that run its processors. */
  readonly processors: readonly number[]
  /** Takes account of processors that were plugged in. */
  countProcessors(): Promise<void>
  readonly qmp: Qmp
  /** For copies of its disks. */
  readonly host: BlockHost
  readonly agent: ReturnType<typeof makeAgentTalk>
  readonly freezing: ReturnType<typeof makeFreezing>
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
  /** The user its process runs as; null when it is the server's own. */
  user: number | null
  /** The kernel's unit of CPU time. */
  ticksPerSecond: number
  /** Called before the guest runs for the first time. */
  beforeFirst: () => Promise<void>
  /** The guest gave back a volume. */
  onVolumeBack: (volumeId: string) => void
  /** The guest restarted itself. */
  onRestart: () => void
  /** The guest got ready, restarted inside, or is gone. */
  onChange: (machineId: string) => void
}

/** The process of a run that lives. */
export interface LivingGuest {
  run: RunRecord
  address: Address
  pid: number
  /** A machine that does not keep its root disk ends when it reboots. */
  spec: KeptSpec
}

const GREETING_MS = 10_000
/** While a saved memory is loaded, QEMU listens to nobody. */
const LOADING_MS = 300_000
/** A guest that goes on from the memory of another one and does not take its identity in this time boots. */
const RENEWAL_MS = 60_000
/** So long the agent of a guest that is up may take until it answers, and then it is asked again. */
const AGENT_COMES_MS = 60_000
const AGENT_PAUSE_MS = 1000
/** A resumed guest does not count as ready for so long while its clock is not set. */
const CLOCK_FIRST_MS = 10_000
/** It was set to the second; on a busy host that takes longer than it is true. */
const CLOCK_MAY_BE_OFF_MS = 1000

/**
 * Takes hold of a living guest: starts it when it waits for that, follows its events and finds out when it is ready.
 * Rejects within bounded time when its process does not answer; nothing of the attempt is left then.
 */
export async function holdGuest(machineId: string, living: LivingGuest, holder: GuestHolder): Promise<Guest> {
  const { run } = living
  // It may have started in the future: the clock can be set back.
  const loading = run.resumed ? Math.min(LOADING_MS, run.startedAt + LOADING_MS - Date.now()) : 0
  const qmp = await connectQmp(holder.dirs.fileOf(machineId, fileNames.qmp), Math.max(GREETING_MS, loading))
  try {
    return await takeUp(machineId, living, qmp, holder)
  } catch (error) {
    // QEMU serves one client: a line that stayed open would keep the next attempt out.
    qmp.close()
    throw error
  }
}

async function takeUp(
  machineId: string,
  { run: launched, address, pid, spec }: LivingGuest,
  qmp: Qmp,
  { dirs, log, user, ticksPerSecond, beforeFirst, onVolumeBack, onRestart, onChange }: GuestHolder,
): Promise<Guest> {
  let run = launched
  const closed = new AbortController()
  qmp.onClose(() => closed.abort())
  const onReady = () => {
    onChange(machineId)
    inBackground(log, 'having a guest make use of what was plugged in', useMore())
  }
  const agent = makeAgentTalk(machineId, qmp, dirs)
  const freezing = makeFreezing({ machineId, agent, dirs, log, gone: closed.signal })
  const volumes = makeGuestVolumes({ machineId, qmp, log, onVolumeBack })
  const starvation = watchStarvation(machineId, qmp, log)
  const readiness = makeReadiness({ machineId, run, address, qmp, dirs, log, onReady })
  qmp.onEvent(['RESET'], ({ data }) => {
    if (data.guest !== true) return
    readiness.beginAnew()
    onRestart()
    onChange(machineId)
  })
  const gone = new Promise<void>((resolve) => qmp.onClose(resolve)).then(async () => {
    readiness.stop()
    // The line closes a moment before the process is gone.
    for (let look = 0; look < 250 && (await isRunOf(pid, machineId, run.run)); look += 1) {
      await sleep(20, undefined, { ref: false })
    }
  })

  // An earlier process may have been killed in the middle of anything it did to the guest.
  await cancelMigration(qmp)
  await clearCopies(qmp)
  await volumes.takeStock()
  await dirs.clearLent(machineId)
  if (run.warm) await beginLoading(qmp)
  await memoryIsLoaded(qmp)
  // States that are saved of it from now on have its memory in them.
  if (run.warm) await memoryIsApart(qmp, false)
  let processors = await processorThreads(qmp)
  const workedMs = () => processorTime({ pid, processors }, ticksPerSecond)
  const boot = watchBoot({ machineId, qmp, log, workedMs, endsAtReboot: !spec.persistent })
  // Guests of earlier versions may lack the device.
  await followMemory(qmp).catch(() => {})
  const status = await statusOf(qmp)
  const goesOnFromMemory = (run.resumed || run.warm !== undefined) && status === 'paused'
  if (status === 'prelaunch' || goesOnFromMemory) await beforeFirst()
  if (status === 'prelaunch') await freezing.forget()
  await goOn(qmp)
  await freezing.thawIfLeft()
  // One that an earlier process left standing still, after it had saved its memory, has missed some time too.
  const resumes = goesOnFromMemory && run.resumed && !run.copy
  const settingClock = resumes || status === 'postmigrate' ? agent.setClock() : null
  if (settingClock) inBackground(log, "setting a guest's clock", settingClock)
  if (status === 'io-error') starvation.begin()
  if ((run.warm ?? run.copy)?.renewed === false)
    inBackground(log, 'giving a guest its identity', becomeSomebody())
  else if (resumes && (await agent.isThere()))
    inBackground(log, 'waiting for the clock of a guest', beginOnTime())
  else await readiness.begin()
  if (!run.resumed && !run.warm) boot.begin()
  // It may have booted once more while nobody held it.
  if (readiness.isReady()) inBackground(log, 'having a guest make use of what was plugged in', useMore())

  /** A guest that booted once more has memory that was plugged in before, and leaves it unused. Its agent may come later. */
  async function useMore(): Promise<void> {
    if (!(await hasMore(qmp))) return
    const latest = performance.now() + AGENT_COMES_MS
    for (;;) {
      try {
        return await agent.talk((line) => useAllAdded(qmp, line))
      } catch (error) {
        if (closed.signal.aborted) return
        if (performance.now() > latest) throw error
        await sleep(AGENT_PAUSE_MS, undefined, { ref: false })
      }
    }
  }

  /** Who is let in finds the time right, unless the guest is too busy to take it for long. */
  async function beginOnTime(): Promise<void> {
    await Promise.race([settingClock, sleep(CLOCK_FIRST_MS, undefined, { ref: false })])
    await readiness.begin()
  }

  async function correctClock(): Promise<void> {
    const { aheadMs } = await readClock(
      agent,
      AbortSignal.any([closed.signal, AbortSignal.timeout(RENEWAL_MS)]),
    )
    if (Math.abs(aheadMs) > CLOCK_MAY_BE_OFF_MS) await agent.setClock()
  }

  /** Of a guest that goes on from the memory of another one. Until then nothing reaches it, and it does not count as ready. */
  async function becomeSomebody(): Promise<void> {
    try {
      const inTime = AbortSignal.any([closed.signal, AbortSignal.timeout(RENEWAL_MS)])
      // A frozen guest has not drawn one yet; a copy has that of the other.
      const bootId = run.copy ? randomUUID() : null
      await renewIdentity(agent, { spec, network: addressOf(run), bootId }, inTime, () => saidReady(qmp))
      run = { ...run, [run.warm ? 'warm' : 'copy']: { renewed: true } }
      await dirs.writeRun(machineId, run)
      readiness.isUp()
      inBackground(log, "checking a guest's clock", correctClock())
    } catch (error) {
      // It ended, or the next process goes on with it.
      if (closed.signal.aborted) return
      log.warn({ machine: machineId, err: error }, 'A guest boots, because it did not take its identity')
      const { warm: _, copy: __, ...cold } = run
      run = cold
      await dirs.writeRun(machineId, run)
      await boot.again()
      await readiness.begin()
    }
  }

  return {
    get run() {
      return run
    },
    address,
    pid,
    get processors() {
      return processors
    },
    async countProcessors() {
      processors = await processorThreads(qmp)
    },
    qmp,
    host: {
      qmp,
      lend: makeLending(dirs.pathOf(machineId), user),
      isStuck: async () => (await statusOf(qmp)) === 'io-error',
      goOn: () => goOn(qmp),
    },
    agent,
    freezing,
    volumes: volumes.list,
    hasVolume: volumes.add,
    givesBack: (port, ms) => volumes.givesBack(port, ms, gone),
    isReady: readiness.isReady,
    gone,
    release() {
      readiness.stop()
      boot.stop()
      qmp.close()
    },
  }
}

/** Waits until a saved memory has been loaded. */
async function memoryIsLoaded(qmp: Qmp): Promise<void> {
  const latest = Date.now() + LOADING_MS
  while ((await statusOf(qmp)) === 'inmigrate') {
    if (Date.now() > latest) throw new Error('A saved memory was not loaded in time')
    await sleep(20)
  }
}

/** Whether the process of a guest, if there was one, has ended. */
export const isGone = async (machineId: string, guest: Guest | null): Promise<boolean> =>
  guest !== null && !(await isRunOf(guest.pid, machineId, guest.run.run))
