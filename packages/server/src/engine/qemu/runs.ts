import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import { commandLine, MACHINE_SHAPE, MACHINE_SHAPE_ALONE, rebootAction } from './command-line.ts'
import { makeSerialLine } from './console-log.ts'
import { launchFailure } from './failure.ts'
import { userOf } from './guest-users.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { keepJournal } from './journal.ts'
import { launchQemu } from './launch.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { fitOf, misfit } from './memory.ts'
import type { Plug } from './network/plug.ts'
import { endAllOf, endProcess, isRunOf, kill } from './process.ts'
import type { MachineRecord, MemoryFit, RunRecord } from './records.ts'
import type { ReservedGuest } from './warm/reserved-guest.ts'
import type { Frozen } from './warm/store.ts'

/** Begins the runs of machines: a guest boots, or goes on from a saved memory. */
export function makeRuns(deps: {
  dirs: MachineDirs
  guests: Guests
  log: Log
  host: () => HostFacts
  volumePath: (volumeId: string) => string
  /** What leads a program into the namespace of project networks. */
  entry: () => readonly string[]
  changed: (machineId: string) => void
}) {
  const { dirs, guests, log, host, volumePath, entry, changed } = deps
  /** Runs that are being launched: there is no process yet, or not one to judge. */
  const launching = new Map<string, RunRecord>()

  async function launch(
    machineId: string,
    record: MachineRecord,
    plug: Plug | null,
    saved: MemoryFit | null,
    frozen: Frozen | null,
  ): Promise<void> {
    const memory = saved && dirs.fileOf(machineId, fileNames.memory)
    const { accelerator, network, bootId } = host()
    const files = fileNames
    const left = [
      files.pid,
      files.asked,
      files.ready,
      files.log,
      files.qmp,
      files.screen,
      files.agent,
      files.frozen,
      files.exit,
      files.journalEnd,
    ]
    for (const name of left) await rm(dirs.fileOf(machineId, name), { force: true })
    await dirs.clearLent(machineId)
    // Directories of earlier versions let nobody pass.
    await dirs.create(machineId)
    await makeSerialLine(dirs, machineId)
    const thisRun: RunRecord = {
      run: randomUUID(),
      shape: saved?.shape ?? (plug ? MACHINE_SHAPE : MACHINE_SHAPE_ALONE),
      ...(saved?.added && { added: saved.added }),
      bootId,
      startedAt: Date.now(),
      ...(network.users && { user: userOf(network.users, machineId) }),
      resumed: memory !== null,
      accelerator: accelerator.kind,
      cpuModel: accelerator.cpu,
      ...(frozen && { warm: { renewed: false } }),
      ...(memory !== null && record.restored?.copied && { copy: { renewed: false } }),
      ...(plug && { plug }),
    }
    launching.set(machineId, thisRun)
    try {
      await dirs.writeRun(machineId, thisRun)
      const args = commandLine({
        record,
        run: thisRun,
        accelerator,
        network,
        volumePath,
        ...(frozen && { memory: { path: frozen.memory, use: 'map' } }),
      })
      const state = frozen?.state ?? memory
      const { pid, ended } = await launchWithJournal(machineId, args, plug ? entry() : [], state)
      try {
        await Promise.race([guests.hold(machineId, record, { run: thisRun, pid }), ended])
      } catch (error) {
        // The line breaks a moment before the end is seen, which tells more. A guest without a line must not stay.
        const end = await Promise.race([ended.catch((why: unknown) => why), sleep(500, error)])
        const isAlive = () => isRunOf(pid, machineId, thisRun.run)
        await endProcess({ isAlive, kill: () => kill(pid) }, { politeMs: 0 })
        throw end
      }
    } catch (error) {
      await rm(dirs.fileOf(machineId, files.run), { force: true })
      // One that a killed server launched may have come late, and has the disk now.
      await endAllOf(machineId, dirs.pathOf(machineId)).catch(() => {})
      throw launchFailure(error)
    } finally {
      launching.delete(machineId)
    }
    changed(machineId)
  }

  async function launchWithJournal(
    machineId: string,
    args: string[],
    into: readonly string[],
    memory: string | null,
  ) {
    const letJournalGo = await keepJournal(dirs, machineId)
    try {
      return await launchQemu(args, dirs.pathOf(machineId), into, memory)
    } finally {
      await letJournalGo()
    }
  }

  /** Lets a guest go on from a saved memory; says why when it has to boot. */
  async function resume(
    machineId: string,
    record: MachineRecord,
    plug: Plug | null,
    saved: MemoryFit,
  ): Promise<string | null> {
    const why = misfit(saved, { ...fitOf(record, host()), ...(plug && { address: plug.ip }) })
    if (why) {
      log.warn({ machine: machineId, why }, 'A guest boots, because its saved memory does not fit')
      return `Its saved memory does not fit any more: ${why}.`
    }
    try {
      await launch(machineId, record, plug, saved, null)
      return null
    } catch (error) {
      log.warn({ machine: machineId, error }, 'A guest boots, because its saved memory could not be loaded')
      return 'Its saved memory could not be loaded.'
    }
  }

  return {
    /**
     * Launches a guest, which goes on from `saved` when there is such a memory and it fits; returns why it boots when it
     * does not.
     */
    async begin(
      machineId: string,
      record: MachineRecord,
      plug: Plug | null,
      saved: MemoryFit | null,
    ): Promise<string | null> {
      const why = saved && (await resume(machineId, record, plug, saved))
      if (saved && why === null) return null
      await launch(machineId, record, plug, null, null)
      return why
    },

    /** Launches a guest that goes on from a frozen one, of whose disk its root disk is a copy. */
    beginWarm: (machineId: string, record: MachineRecord, plug: Plug | null, frozen: Frozen): Promise<void> =>
      launch(machineId, record, plug, null, frozen),

    /** Lets a guest of the reserve begin, which is in the place of the machine: it becomes what the machine is. */
    async beginReserved(
      machineId: string,
      record: MachineRecord,
      plug: Plug,
      { run, pid, qmp }: ReservedGuest,
    ): Promise<void> {
      const thisRun: RunRecord = { ...run, startedAt: Date.now(), warm: { renewed: false }, plug }
      launching.set(machineId, thisRun)
      try {
        await dirs.writeRun(machineId, thisRun)
        await qmp.execute('set-action', { reboot: rebootAction(record.spec) })
        qmp.close()
        await guests.hold(machineId, record, { run: thisRun, pid })
      } catch (error) {
        await endAllOf(machineId, dirs.pathOf(machineId))
        await rm(dirs.fileOf(machineId, fileNames.run), { force: true })
        throw error
      } finally {
        launching.delete(machineId)
      }
      changed(machineId)
    },

    /** The run that is being launched now. */
    launching: (machineId: string): RunRecord | null => launching.get(machineId) ?? null,
  }
}

export type Runs = ReturnType<typeof makeRuns>
