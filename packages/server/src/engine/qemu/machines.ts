import type { BootImage, ImageStore } from '../../image/image-store.ts'
import { flush } from '../../lib/flush.ts'
import type { Log } from '../../lib/log.ts'
import type { ConsoleLogs } from '../console/console-logs.ts'
import { type Engine, EngineError, type MachineLikeness, type MachineSpec } from '../engine.ts'
import { VOLUME_PORTS } from './command-line.ts'
import { sealOutput } from './console-log.ts'
import { UnreadableError } from './durable.ts'
import { asEngineError } from './failure.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { OVERHEAD_MB } from './launch.ts'
import type { MachineCopy } from './machine-copy.ts'
import { fileNames, isMachineId, type MachineDirs, placeInOrder, requireId } from './machine-dir.ts'
import type { Doors } from './network/doors.ts'
import { pickIp, pickPort } from './network/loopback-address.ts'
import type { Plug } from './network/plug.ts'
import type { ProjectNetworks } from './network/project-networks.ts'
import { endAllOf } from './process.ts'
import { createRootDisk, lookAtDisk } from './qcow2.ts'
import type { KeptSpec, MachineRecord, MemoryFit } from './records.ts'
import { type Restore, restoreOf } from './restore.ts'
import { requireRoom } from './room.ts'
import type { Runs } from './runs.ts'
import { overwriteSeed, writeSeed } from './seed.ts'
import type { Suspension } from './suspension.ts'
import type { Turns } from './turns.ts'
import type { Volumes } from './volumes.ts'
import type { Reserve } from './warm/reserve.ts'
import type { ReservedGuest } from './warm/reserved-guest.ts'
import { makeReservedStarts } from './warm/reserved-starts.ts'
import type { Frozen } from './warm/store.ts'
import type { WarmStarts } from './warm/warm-starts.ts'

type MachineCalls =
  | 'createMachine'
  | 'copyMachine'
  | 'startMachine'
  | 'powerDown'
  | 'powerOff'
  | 'deleteMachine'

/** Makes, starts, ends and deletes machines, and takes up those an earlier process left. */
export function makeMachines(deps: {
  dirs: MachineDirs
  images: ImageStore
  volumes: Volumes
  restore: Restore
  machineCopy: MachineCopy
  guests: Guests
  runs: Runs
  suspension: Pick<Suspension, 'whyUseless' | 'discard' | 'clear'>
  networks: ProjectNetworks
  doors: Pick<Doors, 'settle' | 'shut'>
  warmStarts: WarmStarts
  reserve: Reserve
  logs: ConsoleLogs
  log: Log
  host: () => HostFacts
  inTurn: Turns
  inDiskTurn: Turns
  changed: (machineId: string) => void
}): Pick<Engine, MachineCalls> & {
  /**
   * Takes up what an earlier process left of a machine. What it certainly left half-made is cleared; throws an
   * UnreadableError when that cannot be told, and leaves everything as it is.
   */
  adopt(machineId: string): Promise<void>
  /** Finishes what the process before was doing with its files. Once all living guests are held. */
  settle(machineId: string): Promise<void>
  /** Ends a guest of the reserve that is in the place of a machine and has not begun. The turn of the machine is the caller's. */
  endReserved(machineId: string): Promise<void>
} {
  const { dirs, images, volumes, restore, machineCopy, guests, runs, suspension } = deps
  const { networks, doors, logs, log, host, changed, warmStarts, reserve, inTurn, inDiskTurn } = deps
  const ips = new Map<string, string>()

  const reservedStarts = makeReservedStarts({ dirs, reserve, runs, networks, host, freshRoot, log })

  const rootOf = (machineId: string) => dirs.fileOf(machineId, fileNames.root)

  async function freshRoot({ id, rootBytes }: KeptSpec, image: BootImage): Promise<void> {
    const backing = await dirs.images.nameFrom(dirs.pathOf(id), image.disk)
    await createRootDisk(rootOf(id), image, backing, rootBytes)
  }

  /** Clears what was left of a machine without a record. */
  async function clear(machineId: string): Promise<void> {
    const movedTo = await dirs.clear(machineId)
    if (movedTo)
      log.error({ machine: machineId, movedTo }, 'The data of a VM without a record was moved aside')
  }

  /** Writes what the guest is told about itself. */
  async function putSeed(spec: KeptSpec, startScript: string | undefined): Promise<void> {
    const file = dirs.fileOf(spec.id, fileNames.seed)
    const write = (await reserve.isMovedIn(spec.id)) ? overwriteSeed : writeSeed
    await write(file, startScript === undefined ? spec : { ...spec, startScript })
    await flush(file)
  }

  /** Makes a machine whose root disk comes from somewhere; its record says last that it is whole. */
  const make = (
    { projectId, startScript, ...spec }: MachineSpec,
    what: string,
    fill: () => Promise<Omit<MachineRecord, 'spec' | 'address'>>,
  ): Promise<void> =>
    inTurn(spec.id, async () => {
      requireSoundSpec(spec)
      if (await dirs.readRecord(spec.id)) return
      if (await guests.livingRun(spec.id)) throw recordLost()
      await clear(spec.id)
      const ip = ips.get(spec.id) ?? pickIp(spec.id, new Set(ips.values()))
      ips.set(spec.id, ip)
      try {
        await requireRoom(dirs.top)
        await networks.assign(projectId, spec.id)
        const filled = await fill()
        await putSeed(spec, startScript)
        const address = { ip, port: await pickPort(ip, null) }
        const scripted = startScript !== undefined && { scripted: true }
        await dirs.writeRecord(spec.id, { spec, address, ...filled, ...scripted })
      } catch (error) {
        ips.delete(spec.id)
        await reservedStarts.end(spec.id).catch(() => {})
        await dirs.remove(spec.id).catch(() => {})
        throw asEngineError(error, what)
      }
    })

  /** Ends the guest of a machine that is being deleted, also when nothing can be read of it any more. */
  async function endForGood(machineId: string): Promise<void> {
    try {
      await guests.end(machineId)
    } catch (error) {
      if (!(error instanceof UnreadableError)) throw error
      await endAllOf(machineId, dirs.pathOf(machineId))
    }
  }

  /** Begins a run where everything that protects others from it is in force, and never anywhere else. */
  async function begin(machineId: string, record: MachineRecord, source: Source): Promise<string | null> {
    const { network } = host()
    if (network.apart !== null) {
      await network.protect()
      record.address.port = await pickPort(record.address.ip, record.address.port)
      await dirs.writeRecord(machineId, record)
      return beginFrom(machineId, record, null, source)
    }
    // The door of an earlier run must not be taken for somebody else's.
    doors.shut(machineId)
    const reserved = source.reserved && (await reservedStarts.plugIn(machineId)) ? source.reserved : null
    const { plug, done } = await networks.join(machineId)
    try {
      if (plug.reach === 'door') record.address.port = await pickPort(record.address.ip, record.address.port)
      await dirs.writeRecord(machineId, record)
      return await beginFrom(machineId, record, plug, { ...source, reserved })
    } finally {
      done()
      doors.settle()
    }
  }

  /**
   * Makes the record, which is written with the run, say what the machine is like now, and the seed with it.
   *
   * @returns whether that is another seed
   */
  async function become(record: MachineRecord, like: MachineLikeness): Promise<boolean> {
    const { startScript, ...spec } = like
    const seedOf = ({ hostname, sshPublicKeys, formerSshPublicKeys = [] }: KeptSpec) =>
      [hostname, ...sshPublicKeys, '', ...formerSshPublicKeys].join('\n')
    const before = seedOf(record.spec)
    // A suspended guest goes on with what it had, whatever came of changing that meanwhile.
    const memory = record.restored?.suspended ? record.restored.memory : null
    const size = memory && { cpu: memory.cpu, memoryMb: memory.memoryMb }
    record.spec = { ...record.spec, ...spec, ...size }
    requireSoundSpec(record.spec)
    if (seedOf(record.spec) === before) return false
    await putSeed(record.spec, startScript)
    return true
  }

  async function beginFrom(
    machineId: string,
    record: MachineRecord,
    plug: Plug | null,
    { saved, frozen, reserved }: Source,
  ): Promise<string | null> {
    if (reserved && plug && (await reservedStarts.begin(machineId, record, plug, reserved))) return null
    if (frozen && (await beginWarm(machineId, record, plug, frozen))) return null
    return runs.begin(machineId, record, plug, saved)
  }

  /** The reserve is the first that is given back. */
  async function requireMemory({ memoryMb }: KeptSpec): Promise<void> {
    const isThere = () => process.availableMemory() >= (memoryMb + OVERHEAD_MB) * 1024 * 1024
    if (!isThere()) await reserve.giveBack()
    if (isThere()) return
    throw new EngineError('no-memory', 'The host does not have enough free memory for the VM.', {
      retryable: true,
    })
  }

  async function readyRoot(machineId: string, record: MachineRecord, afresh: boolean): Promise<void> {
    const { imageId } = record.spec
    if (afresh && !record.restored) {
      record.image = await images.use(imageId)
      await freshRoot(record.spec, record.image)
    } else if ((await lookAtDisk(rootOf(machineId))).is === 'disk') {
      await images.verify(imageId, record.image)
    } else {
      throw new EngineError('internal', 'The root disk of the VM is missing or damaged.')
    }
  }

  /** Lets a machine that no guest has had yet go on from a frozen guest; false when it has to boot. */
  async function beginWarm(
    machineId: string,
    record: MachineRecord,
    plug: Plug | null,
    frozen: Frozen,
  ): Promise<boolean> {
    try {
      await warmStarts.copyRoot(frozen.root, rootOf(machineId))
      await runs.beginWarm(machineId, record, plug, frozen)
      return true
    } catch (error) {
      log.warn(
        { machine: machineId, err: error },
        'A guest boots, because it could not start from a frozen one',
      )
      await freshRoot(record.spec, record.image)
      return false
    }
  }

  return {
    endReserved: reservedStarts.end,

    async adopt(machineId) {
      const living = await guests.livingRun(machineId)
      // One that has begun is a guest like every other.
      if (living) await reserve.hasBegun(machineId)
      else await reservedStarts.end(machineId)
      const record = await dirs.readRecord(machineId)
      if (!record) {
        if (living) throw recordLost()
        await clear(machineId)
        return
      }
      ips.set(machineId, record.address.ip)
      await sealOutput(dirs, machineId)
    },

    async settle(machineId) {
      if (!(await dirs.readRecord(machineId))) return
      await restore.open(machineId)
      await suspension.clear(machineId)
      if (await guests.livingRun(machineId)) return
      const { image } = await dirs.requireRecord(machineId)
      await dirs.images.mend(rootOf(machineId), image)
      await guests.settleEnd(machineId)
    },

    createMachine: (spec) =>
      make(spec, 'The VM could not be created', async () => {
        const image = await images.use(spec.imageId)
        if (!(await reserve.moveIn(spec.id, spec, image))) {
          await dirs.create(spec.id)
          await freshRoot(spec, image)
        }
        return { image, volumes: placeInOrder(spec.volumeIds), restored: null, fresh: true }
      }),

    async copyMachine(spec, source, work) {
      requireId(source.snapshotId)
      const aborted = () => new EngineError('aborted', `${NOT_COPIED}: it was ended.`)
      if (work.signal.aborted) throw aborted()
      await inDiskTurn([spec.id, source.snapshotId], () =>
        make(spec, NOT_COPIED, () => machineCopy.fill(spec, source, work)),
      ).catch((error: unknown) => {
        throw work.signal.aborted ? aborted() : error
      })
    },

    async startMachine(machineId, { freshRoot: afresh, volumeIds, like }) {
      for (const id of volumeIds) requireId(id)
      // Asked before its turn comes: a living guest may be in the middle of a copy.
      if (isMachineId(machineId) && (await guests.of(machineId).catch(() => null))) return null
      return inDiskTurn([machineId, ...volumeIds], () =>
        inTurn(machineId, async () => {
          if (await guests.of(machineId)) return null
          try {
            // Disks that are half in their places are no disks to start from.
            await restore.complete(machineId)
            const record = await dirs.requireRecord(machineId)
            const seedIsAsMade = !like || !(await become(record, like))
            const { spec } = record
            const reserved = await reservedStarts.find(machineId, record, { volumeIds, seedIsAsMade })
            await requireMemory(spec)
            for (const dir of [dirs.top, ...(volumeIds.length > 0 ? [volumes.dir] : [])])
              await requireRoom(dir)
            for (const id of volumeIds) {
              await volumes.requireThere(id)
              guests.requireFree(id, machineId)
            }
            // Of one with a guest already it is as it should be.
            if (!reserved) await readyRoot(machineId, record, afresh)
            const useless = await suspension.whyUseless(machineId, record)
            const saved = useless === null ? (record.restored?.memory ?? null) : null
            record.volumes = placesFor(volumeIds, saved)
            const isFresh = (afresh || record.fresh === true) && !record.restored
            record.fresh = false
            const frozen = isFresh ? await warmStarts.find(record) : null
            const why = await begin(machineId, record, { saved, frozen, reserved })
            if (isFresh && !frozen) warmStarts.wasMissed(record)
            reserve.refill()
            return why ?? useless
          } catch (error) {
            throw asEngineError(error, 'The VM could not be started')
          }
        }),
      )
    },

    powerDown: (machineId) =>
      inTurn(machineId, async () => {
        const guest = isMachineId(machineId) ? await guests.of(machineId) : null
        if (!guest) return
        await dirs.markAsked(machineId, guest.run.run)
        // A guest that ends in this moment needs no button.
        await guest.qmp.execute('system_powerdown').catch(() => {})
      }),

    async powerOff(machineId) {
      // Not in its turn at first: that may belong to somebody who waits for a guest that hangs.
      await guests.end(machineId)
      await inTurn(machineId, async () => {
        await guests.end(machineId)
        if (isMachineId(machineId)) await suspension.discard(machineId)
      })
    },

    async deleteMachine(machineId) {
      if (!isMachineId(machineId)) return
      await dirs.requirePlace()
      // First, so that a copy of what it does ends, and whatever waits for its answer, and the turn comes soon.
      await endForGood(machineId)
      const touched = await unlessUnreadable(restore.volumeIds(machineId))
      await inDiskTurn([machineId, restoreOf(machineId), ...(touched ?? [])], () =>
        inTurn(machineId, async () => {
          await endForGood(machineId)
          if (await reserve.isMovedIn(machineId)) await reserve.endMovedIn(machineId)
          // Until an interrupted restore is complete, disks of others may lie in the directory.
          const isWhole = (await unlessUnreadable(restore.complete(machineId))) !== null
          if (isWhole) await dirs.remove(machineId)
          else log.error({ machine: machineId, movedTo: await dirs.moveAside(machineId) }, MOVED_ASIDE)
          await networks.leave(machineId)
          ips.delete(machineId)
          logs.forget(machineId)
          changed(machineId)
          // What it had is free now.
          reserve.refill()
        }),
      )
    },
  }
}

/** What a guest goes on from; it boots where there is neither, or where it does not fit. */
interface Source {
  saved: MemoryFit | null
  frozen: Frozen | null
  /** Stands still already in the place of the machine, and in its network. */
  reserved: ReservedGuest | null
}

const NOT_COPIED = 'The VM could not be copied'

const recordLost = () =>
  new UnreadableError('The record of the VM on the host is missing, but its guest is running.')
const MOVED_ASIDE = 'A deleted VM whose restore could not be completed was moved aside'

/** What was read, or null when it cannot be. */
const unlessUnreadable = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof UnreadableError) return null
    throw error
  })

/** A guest that goes on from a saved memory finds its volumes where they were; else they come in order. */
function placesFor(volumeIds: readonly string[], saved: MemoryFit | null) {
  const same =
    saved?.volumes.length === volumeIds.length && saved.volumes.every(({ id }) => volumeIds.includes(id))
  return saved && same ? saved.volumes : placeInOrder(volumeIds)
}

function requireSoundSpec(spec: KeptSpec): void {
  for (const id of [spec.id, ...spec.volumeIds]) requireId(id)
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(spec.hostname)) {
    throw new EngineError('internal', 'The host name is not a valid label.')
  }
  if (spec.volumeIds.length > VOLUME_PORTS) {
    throw new EngineError('unsupported', `A VM supports at most ${VOLUME_PORTS} disks.`)
  }
}
