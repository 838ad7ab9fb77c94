import { rm } from 'node:fs/promises'
import { atMost } from '../../lib/at-most.ts'
import { flush } from '../../lib/flush.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { sha256Of } from '../../lib/whole-copy.ts'
import { type Engine, EngineError, type Work } from '../engine.ts'
import { memoryFit, mostBytesOf } from './copy-moment.ts'
import { asEngineError } from './failure.ts'
import { type Guest, isGone } from './guest.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { fileNames, type MachineDirs, requireId } from './machine-dir.ts'
import { goOn, saveAndHold } from './memory.ts'
import type { MachineRecord, Restored } from './records.ts'
import { requireRoom } from './room.ts'
import { fewAtATime, type Turns } from './turns.ts'

/** So many guests write their memory to the disk of the host at a time. */
const AT_ONCE = 3

const NOT_SUSPENDED = 'The VM could not be suspended'

/**
 * Suspends machines: the memory of a guest goes into its machine's directory, and its process ends. It is suspended from
 * the moment in which its record says so, and not before: until then a guest that stands still goes on, whoever finds it;
 * from then on nothing runs on the disks that this memory belongs to but the guest that goes on from it.
 */
export function makeSuspension(deps: {
  dirs: MachineDirs
  guests: Guests
  volumePath: (volumeId: string) => string
  host: () => HostFacts
  log: Log
  inTurn: Turns
  inDiskTurn: Turns
  changed: (machineId: string) => void
}): Pick<Engine, 'suspendMachine'> & {
  /** Why the memory that a machine would go on from cannot be used; null when it can, or there is none. */
  whyUseless(machineId: string, record: MachineRecord): Promise<string | null>
  /** Discards the memory that a machine was suspended with. Its turn is the caller's. */
  discard(machineId: string): Promise<void>
  /** Removes what a suspend left that did not come to its end. */
  clear(machineId: string): Promise<void>
  /** Whether a volume is one of a suspended machine. */
  holds(volumeId: string): Promise<boolean>
} {
  const { dirs, guests, volumePath, host, log, inTurn, inDiskTurn, changed } = deps
  const withFewOthers = atMost(AT_ONCE)
  const memoryOf = (machineId: string) => dirs.fileOf(machineId, fileNames.memory)

  async function suspend(machineId: string, guest: Guest, work: Work): Promise<void> {
    const directory = dirs.pathOf(machineId)
    const file = memoryOf(machineId)
    let isSuspended = false
    try {
      const record = await dirs.requireRecord(machineId)
      await requireRoom(directory, await mostBytesOf(guest, record))
      // A file that is there may be one with a snapshot, see `machine-copy.ts`: it is not written to.
      await rm(file, { force: true })
      await saveAndHold(guest.qmp, file, work, { directory, socketName: fileNames.memorySocket })
      const memory = await memoryFit(guest, record, host())
      const [sha256 = ''] = await sha256Of([file], work.signal)
      // QEMU has given everything to the host when a memory is complete; the host has it on its disks now.
      await flush(dirs.fileOf(machineId, fileNames.root))
      for (const { id } of memory.volumes) await flush(volumePath(id))
      await inTurn(machineId, async () => {
        work.signal.throwIfAborted()
        if (await isGone(machineId, guest)) throw ended()
        const restored = { memory, suspended: { run: guest.run.run, sha256 } }
        isSuspended = await commit(machineId, { ...record, volumes: memory.volumes }, restored)
        await guests.end(machineId)
      })
    } catch (error) {
      if (!isSuspended) {
        await goOn(guest.qmp).catch(() => {})
        inBackground(log, "setting a guest's clock", guest.agent.setClock())
        await rm(file, { force: true }).catch(() => {})
      }
      throw error
    }
  }

  /**
   * Writes that a machine is suspended. A write that fails may have changed the record all the same, and then it holds:
   * a guest must not go on beside a record that says that its memory is complete.
   */
  async function commit(machineId: string, record: MachineRecord, restored: Restored): Promise<true> {
    try {
      await dirs.writeRecord(machineId, { ...record, restored })
    } catch (error) {
      await dirs.writeRecord(machineId, record).catch(() => {})
      const now = await dirs.readRecord(machineId)
      if (now?.restored?.suspended?.run !== restored.suspended?.run) throw error
    }
    return true
  }

  return {
    async suspendMachine(machineId, work) {
      requireId(machineId)
      const { volumes } = await dirs.requireRecord(machineId)
      let guest: Guest | null = null
      try {
        work.signal.throwIfAborted()
        await inDiskTurn([machineId, ...volumes.map(({ id }) => id)], () =>
          withFewOthers(async () => {
            work.signal.throwIfAborted()
            guest = await inTurn(machineId, () => guests.of(machineId))
            if (guest) await suspend(machineId, guest, work)
            else if (!(await dirs.readRecord(machineId))?.restored?.suspended) throw ended()
          }),
        )
      } catch (error) {
        if (work.signal.aborted)
          throw new EngineError('aborted', `${NOT_SUSPENDED}: it was ended.`, { cause: error })
        if (await isGone(machineId, guest)) throw ended(error)
        log.warn({ machine: machineId, error }, NOT_SUSPENDED)
        throw asEngineError(error, NOT_SUSPENDED)
      }
    },

    async whyUseless(machineId, { restored }) {
      if (!restored?.memory) return null
      if (restored.moved) return 'One of its disks was detached while it was suspended.'
      const expected = restored.suspended?.sha256 ?? restored.sha256
      if (expected === undefined) return null
      const signal = new AbortController().signal
      const [sha256] = await sha256Of([memoryOf(machineId)], signal).catch(() => [null])
      return sha256 === expected ? null : 'Its saved memory is missing or damaged.'
    },

    async discard(machineId) {
      const record = await dirs.readRecord(machineId)
      if (!record?.restored?.suspended) return
      // First, as it is large: on a full disk it makes the room that the record takes.
      await rm(memoryOf(machineId), { force: true })
      await dirs.writeRecord(machineId, { ...record, restored: null })
      changed(machineId)
    },

    async clear(machineId) {
      const record = await dirs.readRecord(machineId)
      if (record && !record.restored?.memory) await rm(memoryOf(machineId), { force: true })
    },

    async holds(volumeId) {
      const found = await fewAtATime(await dirs.ids(), async (id) => {
        const record = await dirs.readRecord(id).catch(() => null)
        return (
          record?.restored?.suspended !== undefined && record.volumes.some((place) => place.id === volumeId)
        )
      })
      return found.includes(true)
    },
  }
}

const ended = (cause?: unknown) =>
  new EngineError('snapshot-lost', 'The VM stopped before its memory was saved.', { retryable: true, cause })

export type Suspension = ReturnType<typeof makeSuspension>
