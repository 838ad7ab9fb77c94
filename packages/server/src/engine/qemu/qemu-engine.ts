import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ImageStore } from '../../image/image-store.ts'
import { ImportError, type Importer } from '../../image/import.ts'
import type { Log } from '../../lib/log.ts'
import { type Engine, EngineError } from '../engine.ts'
import type { AcceleratorChoice } from './accelerator.ts'
import { makeAttachments } from './attachments.ts'
import { makeConsoleLogs } from './console-log.ts'
import { makeConsoles } from './consoles.ts'
import { makeCopies } from './copies.ts'
import { watchFirewall } from './firewall.ts'
import { makeGuests } from './guests.ts'
import { findHostFacts, type HostFacts } from './host-facts.ts'
import { fileNames, hasScreen, isMachineId, makeMachineDirs } from './machine-dir.ts'
import { makeMachineSnapshots } from './machine-snapshots.ts'
import { makeMachineStates } from './machine-states.ts'
import { makeMachines } from './machines.ts'
import { connectUnix } from './qmp.ts'
import { makeRestore } from './restore.ts'
import { makeRuns } from './runs.ts'
import { makeTurns } from './turns.ts'
import { makeUsage } from './usage.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'
import { makeVolumes } from './volumes.ts'

const LOOK_MS = 15_000

/**
 * Virtual machines by QEMU on this host. Each guest is a process of its own that outlives the server; everything
 * about a machine stands in its directory `<dataDir>/machines/<id>/`, so that any later process finds it again.
 * Here the parts are put together; every call of the port is carried out by one of them.
 */
export function makeQemuEngine(deps: {
  dataDir: string
  /** Where the verdict on this host's accelerator is kept; the data directory when it is absent. */
  hostDir?: string
  /** What runs guest code; found out when it is absent. */
  accelerator?: AcceleratorChoice
  images: ImageStore
  importer: Importer
  log: Log
}): Engine {
  const { images, importer, log } = deps
  // QEMU runs in the machine's directory, so relative paths would lead elsewhere.
  const dataDir = resolve(deps.dataDir)
  const daemonsDir = join(dataDir, 'daemons')
  let facts: HostFacts | null = null
  let stopWatching = () => {}
  const host = () => {
    if (!facts) throw new EngineError('internal', 'The engine has not been opened.')
    return facts
  }
  const listeners = new Set<(machineId: string) => void>()
  const changed = (machineId: string) => {
    for (const listener of listeners) listener(machineId)
  }
  /** Power and records of a machine: short work, by machine id. */
  const inTurn = makeTurns()
  /** Files of disks and snapshots: work that may take long, by what it reads or writes. Comes before `inTurn`. */
  const inDiskTurn = makeTurns()

  // What lies on the disk of the host.
  const dirs = makeMachineDirs(dataDir)
  const logs = makeConsoleLogs({ dirs, log })
  const snapshots = makeMachineSnapshots(dataDir)
  const volumeSnapshots = makeVolumeSnapshots(dataDir)
  const volumes = makeVolumes({ dataDir, images, importer, snapshots, volumeSnapshots })
  const restore = makeRestore({ dirs, volumes, snapshots })

  // What is done with it.
  const guests = makeGuests({ dirs, log, host, logs, inTurn, changed })
  const runs = makeRuns({ dirs, guests, log, host, volumePath: volumes.pathOf, changed })
  const states = makeMachineStates({ dirs, guests, runs, logs, log, host })
  const machines = makeMachines({
    ...{ dataDir, dirs, images, volumes, restore, guests, runs },
    ...{ logs, log, host, inTurn, inDiskTurn, changed },
  })
  const consoles = makeConsoles({ dirs, guests, logs, log })
  const attachments = makeAttachments({ dirs, volumes, guests, inTurn, inDiskTurn })
  const copies = makeCopies({
    ...{ dirs, volumes, snapshots, volumeSnapshots, restore, guests },
    ...{ daemonsDir, log, host, inTurn, inDiskTurn },
  })

  return {
    kind: 'qemu',
    get capabilities() {
      return {
        accelerator: facts?.accelerator.kind ?? null,
        acceleratorReason: facts?.accelerator.reason ?? null,
        network: facts?.network.sentence ?? 'Unknown until the engine is open.',
      }
    },

    async open() {
      await dirs.open()
      await images.open()
      await volumes.open()
      await volumeSnapshots.open()
      await rm(daemonsDir, { recursive: true, force: true })
      await mkdir(daemonsDir, { recursive: true, mode: 0o700 })
      facts = await findHostFacts({
        dataDir: deps.hostDir ?? dataDir,
        accelerator: deps.accelerator ?? 'auto',
        images,
        log,
      })
      const { protect } = facts.network
      stopWatching = watchFirewall({ ensure: protect, isNeeded: () => guests.held().size > 0, log })
      const ids = await dirs.ids()
      // Side by side: a guest that does not answer must not hold up the others.
      await Promise.all(ids.map(machines.adopt))
      const filling = await Promise.all(ids.map(restore.filling))
      await snapshots.open(new Set(filling.filter((id) => id !== null)))
    },

    async close() {
      stopWatching()
      await images.close()
      consoles.release()
      guests.release()
      listeners.clear()
    },

    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },

    freeMemoryMb: guests.freeMemoryMb,
    usage: makeUsage({ guests: guests.held, ticksPerSecond: () => host().ticksPerSecond }),
    openConsole: consoles.open,
    hasScreen: async (machineId) => hasScreen(await dirs.readRecord(machineId)),
    async openScreen(machineId) {
      if (!hasScreen(await dirs.readRecord(machineId)) || !guests.isHeld(machineId)) return null
      return connectUnix(dirs.fileOf(machineId, fileNames.screen)).catch(() => null)
    },
    image: (imageId, again) => images.ensure(imageId, again),
    lookAtImage: (imageId) => images.look(imageId),
    async checkImage(address) {
      try {
        return await importer.look(address, AbortSignal.timeout(LOOK_MS))
      } catch (error) {
        if (error instanceof ImportError) return { refused: error.message }
        throw error
      }
    },

    createMachine: machines.createMachine,
    startMachine: machines.startMachine,
    powerDown: machines.powerDown,
    powerOff: machines.powerOff,
    deleteMachine: machines.deleteMachine,
    inspect: states.inspect,
    list: states.list,

    createVolume: copies.createVolume,
    deleteVolume: attachments.deleteVolume,
    async inspectVolume(volumeId) {
      return isMachineId(volumeId) ? volumes.inspect(volumeId) : { state: 'absent' }
    },
    listVolumes: volumes.list,
    attachVolume: attachments.attachVolume,
    detachVolume: attachments.detachVolume,

    createMachineSnapshot: copies.createMachineSnapshot,
    prepareRestore: copies.prepareRestore,
    switchDisks: copies.switchDisks,
    dropRestore: copies.dropRestore,
    deleteMachineSnapshot: copies.deleteMachineSnapshot,
    createVolumeSnapshot: copies.createVolumeSnapshot,
    deleteVolumeSnapshot: copies.deleteVolumeSnapshot,
    async inspectSnapshot(kind, snapshotId) {
      if (!isMachineId(snapshotId)) return { state: 'absent' }
      return kind === 'machine' ? snapshots.inspect(snapshotId) : volumeSnapshots.inspect(snapshotId)
    },
    listSnapshots: (kind) => (kind === 'machine' ? snapshots.list() : volumeSnapshots.list()),
  }
}
