import { rm } from 'node:fs/promises'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import type { ConsoleLogs } from '../console/console-logs.ts'
import { EngineError, type MachineExit } from '../engine.ts'
import { exitOf } from './exit.ts'
import { type Guest, type GuestHolder, holdGuest } from './guest.ts'
import { sharedUser } from './guest-users.ts'
import type { HostFacts } from './host-facts.ts'
import { OVERHEAD_MB } from './launch.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { endAllOf, endProcess, isRunOf, kill, ownMb, readPid, residentMb } from './process.ts'
import { addressIn, type MachineRecord, type RunRecord } from './records.ts'
import { isUnbegun } from './unbegun.ts'

/** A process that is the guest of a machine's last run. */
interface LivingRun {
  run: RunRecord
  pid: number
}

/** A guest that is asked to end flushes its disks; one that has not by then is killed. */
const POLITE_MS = 3000
/** A guest that did not answer is left alone for so long, so that looks at it are answered at once. */
const SILENT_MS = 30_000

/** The living guests of this host: finds, holds and ends them. */
export function makeGuests(deps: {
  dirs: MachineDirs
  log: Log
  host: () => HostFacts
  logs: ConsoleLogs
  /** A living guest does not have a volume any more that its machine may still have. */
  onVolumeBack: (machineId: string, volumeId: string) => Promise<void>
  changed: (machineId: string) => void
}) {
  const { dirs, log, host, logs, onVolumeBack, changed } = deps
  const guests = new Map<string, Guest>()
  const holding = new Map<string, Promise<Guest>>()
  /** Guests that end; resolves when that is written down. */
  const endings = new Map<string, Promise<void>>()
  /** Guests that are being ended by force, so that all who ask for it wait for the same end. */
  const ends = new Map<string, Promise<void>>()
  /** Guests whose process did not answer, with the volumes that they have by the records. */
  const silent = new Map<string, { run: string; until: number; error: unknown; volumeIds: string[] }>()
  const released = new WeakSet<Guest>()
  /** The guests are the next engine's, which QEMU would not greet while this one held a line. */
  let isClosed = false

  /** The process of the machine's last run, when it still lives. */
  async function livingRun(machineId: string): Promise<LivingRun | null> {
    const run = await dirs.readRun(machineId)
    const pid = await readPid(dirs.fileOf(machineId, fileNames.pid))
    return run && pid && (await isRunOf(pid, machineId, run.run)) ? { run, pid } : null
  }

  /** QEMU serves one client per socket, so everybody who wants the guest waits for the same one. */
  function hold(machineId: string, record: MachineRecord, living: LivingRun): Promise<Guest> {
    const begun = holding.get(machineId)
    if (begun !== undefined) return begun
    if (isClosed) return Promise.reject(closedError())
    const work = takeHold(machineId, record, living).finally(() => holding.delete(machineId))
    holding.set(machineId, work)
    return work
  }

  async function takeHold(machineId: string, record: MachineRecord, living: LivingRun): Promise<Guest> {
    const address = addressIn(record, living.run)
    const known = { ...living, address, spec: record.spec }
    const user = living.run.user ?? (host().network.users && (await sharedUser()))
    const guest = await holdGuest(machineId, known, holderFor(machineId, living.run, user))
    if (isClosed) {
      guest.release()
      throw closedError()
    }
    silent.delete(machineId)
    // It lives after all: what was judged while its process was not to be found is void.
    await rm(dirs.fileOf(machineId, fileNames.exit), { force: true })
    guests.set(machineId, guest)
    for (const { id } of record.volumes)
      if (!guest.volumes().some((place) => place.id === id)) letGo(machineId, id)
    const ending = awaitEnd(machineId, guest).finally(() => {
      if (endings.get(machineId) === ending) endings.delete(machineId)
      if (guests.get(machineId) !== guest) return
      guests.delete(machineId)
      changed(machineId)
    })
    endings.set(machineId, ending)
    inBackground(log, 'noting the end of a guest', ending)
    return guest
  }

  /** A guest let go of a volume: somebody may have asked for it, or nobody any more. */
  function letGo(machineId: string, volumeId: string): void {
    inBackground(log, 'giving a disk back to a guest', onVolumeBack(machineId, volumeId))
  }

  function holderFor(machineId: string, run: RunRecord, user: number | null): GuestHolder {
    return {
      dirs,
      log,
      user,
      ticksPerSecond: host().ticksPerSecond,
      onChange: changed,
      async beforeFirst() {
        await useUpRestore(machineId)
        await logs.note(machineId, run.resumed ? 'resumed' : 'started')
      },
      onRestart: () => inBackground(log, 'noting a restart', logs.note(machineId, 'rebooted')),
      onVolumeBack: (volumeId) => letGo(machineId, volumeId),
    }
  }

  async function awaitEnd(machineId: string, guest: Guest): Promise<void> {
    await guest.gone
    // Let go of, it may live on, and its end is for the next engine to note.
    if (released.has(guest)) return
    if (!(await isRunOf(guest.pid, machineId, guest.run.run))) await noteEnd(machineId, guest.run)
  }

  /**
   * Takes hold of a guest that this engine does not hold. One that did not answer is asked again from time to time,
   * and nobody waits for that.
   */
  async function reach(machineId: string, living: LivingRun): Promise<Guest> {
    const last = silent.get(machineId)
    if (last?.run !== living.run.run) return ask(machineId, living)
    if (performance.now() >= last.until) {
      last.until = performance.now() + SILENT_MS
      const again = ask(machineId, living).then(() => changed(machineId))
      inBackground(log, 'asking a guest again that did not answer', again.catch(isStillSilent))
    }
    throw notAnswering(last.error)
  }

  async function ask(machineId: string, living: LivingRun): Promise<Guest> {
    const record = await dirs.requireRecord(machineId)
    try {
      return await hold(machineId, record, living)
    } catch (error) {
      if (error instanceof EngineError) throw error
      const volumeIds = record.volumes.map(({ id }) => id)
      silent.set(machineId, { run: living.run.run, until: performance.now() + SILENT_MS, error, volumeIds })
      throw notAnswering(error)
    }
  }

  async function endingOf(machineId: string, { run }: RunRecord, how: MachineExit['how']) {
    if (how === 'crashed') return 'crashed'
    const record = await dirs.readRecord(machineId).catch(() => null)
    return record?.restored?.suspended?.run === run ? 'suspended' : 'ended'
  }

  async function noteEnd(machineId: string, run: RunRecord): Promise<void> {
    const exit = await exitOf(dirs, machineId, { run, bootId: host().bootId })
    await logs.note(machineId, await endingOf(machineId, run, exit.how))
  }

  /** The guest runs now, so what was restored for it is no longer what it goes on from. */
  async function useUpRestore(machineId: string): Promise<void> {
    const record = await dirs.readRecord(machineId)
    if (!record?.restored) return
    await dirs.writeRecord(machineId, { ...record, restored: null })
    await rm(dirs.fileOf(machineId, fileNames.memory), { force: true })
  }

  async function endGuest(machineId: string): Promise<void> {
    const guest = guests.get(machineId)
    const living = guest ? { run: guest.run, pid: guest.pid } : await livingRun(machineId)
    if (!living) return
    await dirs.markAsked(machineId, living.run.run)
    // Its answer is that the line closes.
    guest?.qmp.execute('quit').catch(() => {})
    await endProcess(
      {
        isAlive: () => isRunOf(living.pid, machineId, living.run.run),
        kill: () => kill(living.pid),
      },
      { politeMs: guest ? POLITE_MS : 0 },
    )
    guests.delete(machineId)
    silent.delete(machineId)
    guest?.release()
    if (guest) await endings.get(machineId)
    else await noteEnd(machineId, living.run)
    changed(machineId)
  }

  /**
   * Ends a guest at once, first politely so that its disks are flushed, then by force. Waits for no answer of it,
   * so it may be called whatever else is being done to the guest; what that was fails. Throws a retryable
   * `EngineError` when even force did not end it.
   */
  function end(machineId: string): Promise<void> {
    const begun = ends.get(machineId)
    if (begun !== undefined) return begun
    const work = endGuest(machineId).finally(() => ends.delete(machineId))
    ends.set(machineId, work)
    return work
  }

  /** The machine whose living guest has a volume. */
  const holderOf = (volumeId: string): string | null =>
    [...guests].find(([, guest]) => guest.volumes().some(({ id }) => id === volumeId))?.[0] ?? null

  /** The same of guests that do not answer: they may go on, and use what they have. */
  const silentHolderOf = (volumeId: string): string | null =>
    [...silent].find(([, { volumeIds }]) => volumeIds.includes(volumeId))?.[0] ?? null

  return {
    livingRun,
    hold,
    holderOf,
    isHeld: (machineId: string) => guests.has(machineId),
    /** Those this engine holds, by machine. */
    held: (): ReadonlyMap<string, Guest> => guests,

    /** The guest, taken hold of when a living one was not yet; null when none lives. */
    async of(machineId: string): Promise<Guest | null> {
      const held = guests.get(machineId)
      if (held && (await isRunOf(held.pid, machineId, held.run.run))) return held
      const living = await livingRun(machineId)
      if (!living) {
        silent.delete(machineId)
        return null
      }
      const { restored } = await dirs.requireRecord(machineId)
      // The server was killed when its memory was complete and recorded: going on, it would move its disks away from that.
      if (restored?.suspended?.run === living.run.run) {
        await end(machineId)
        return null
      }
      return reach(machineId, living)
    },

    /** Throws `volume-busy` when a living guest has the volume, except for that of `forMachine`. */
    requireFree(volumeId: string, forMachine: string | null = null): void {
      const holder = holderOf(volumeId) ?? silentHolderOf(volumeId)
      if (holder === null || holder === forMachine) return
      throw new EngineError('volume-busy', 'The disk is still attached to another VM.', { retryable: true })
    },

    end,

    /** Writes down the end of a run that no server saw. */
    async settleEnd(machineId: string): Promise<void> {
      const run = await dirs.readRun(machineId)
      if (run && run.bootId === host().bootId && (await isUnbegun(dirs, machineId))) {
        await endAllOf(machineId, dirs.pathOf(machineId))
        await rm(dirs.fileOf(machineId, fileNames.run), { force: true })
        return
      }
      const last = (await logs.indexOf(machineId)).notes.at(-1)
      if (!run || !last || ['ended', 'suspended', 'crashed'].includes(last.what)) return
      if (!(await livingRun(machineId))) await noteEnd(machineId, run)
    },

    async freeMemoryMb(): Promise<number> {
      let untouched = 0
      for (const [id, { pid, run }] of guests) {
        // One whose record cannot be read now counts with what it has touched, and keeps nobody from starting.
        const record = await dirs.readRecord(id).catch(() => null)
        const given = (record?.spec.memoryMb ?? 0) + OVERHEAD_MB
        // Of a guest that started from a frozen one, others have the pages that it has not changed.
        const touched = run.warm ? await ownMb(pid) : await residentMb(pid)
        untouched += Math.max(0, given - touched)
      }
      return Math.max(0, Math.floor(process.availableMemory() / (1024 * 1024) - untouched - OVERHEAD_MB))
    },

    isClosed: () => isClosed,

    /** Lets go of all of them for good; they live on. */
    close(): void {
      isClosed = true
      for (const guest of guests.values()) {
        released.add(guest)
        guest.release()
      }
      guests.clear()
    },
  }
}

export type Guests = ReturnType<typeof makeGuests>

function isStillSilent(error: unknown): void {
  if (!(error instanceof EngineError)) throw error
}

const closedError = (): EngineError =>
  new EngineError('internal', 'The server is shutting down.', { retryable: true })

const notAnswering = (cause: unknown): EngineError =>
  new EngineError(
    'internal',
    'The process of the VM does not respond. Force stop the VM if this continues.',
    { retryable: true, cause },
  )
