import { rm } from 'node:fs/promises'
import type { ImageStore } from '../../image/image-store.ts'
import type { Log } from '../../lib/log.ts'
import { type Engine, EngineError, type MachineSpec } from '../engine.ts'
import { pickIp, pickPort } from './address.ts'
import { VOLUME_PORTS } from './command-line.ts'
import type { ConsoleLogs } from './console-log.ts'
import { asEngineError } from './failure.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { OVERHEAD_MB } from './launch.ts'
import {
  fileNames,
  isMachineId,
  type MachineDirs,
  type MemoryFit,
  placeInOrder,
  requireId,
} from './machine-dir.ts'
import { createRootDisk, readHeader } from './qcow2.ts'
import { type Restore, restoreOf } from './restore.ts'
import { requireRoom } from './room.ts'
import type { Runs } from './runs.ts'
import { writeSeed } from './seed.ts'
import type { Turns } from './turns.ts'
import type { Volumes } from './volumes.ts'

type MachineCalls = 'createMachine' | 'startMachine' | 'powerDown' | 'powerOff' | 'deleteMachine'

/** Makes, starts, ends and deletes machines, and takes up those an earlier process left. */
export function makeMachines(deps: {
  dataDir: string
  dirs: MachineDirs
  images: ImageStore
  volumes: Volumes
  restore: Restore
  guests: Guests
  runs: Runs
  logs: ConsoleLogs
  log: Log
  host: () => HostFacts
  inTurn: Turns
  inDiskTurn: Turns
  changed: (machineId: string) => void
}): Pick<Engine, MachineCalls> & { adopt(machineId: string): Promise<void> } {
  const { dataDir, dirs, images, volumes, restore, guests, runs, logs, log, host, changed } = deps
  const { inTurn, inDiskTurn } = deps
  const ips = new Map<string, string>()

  return {
    /** Takes up what an earlier process left of a machine; what it left half-made goes. */
    async adopt(machineId) {
      const record = await dirs.readRecord(machineId)
      if (!record) return dirs.remove(machineId)
      ips.set(machineId, record.address.ip)
      await restore
        .open(machineId)
        .catch((error: unknown) => log.error({ machine: machineId, error }, 'A restore was not completed'))
      await guests
        .of(machineId)
        .catch((error: unknown) => log.warn({ machine: machineId, error }, 'A guest was not adopted'))
      await guests.settleEnd(machineId)
    },

    createMachine: (spec) =>
      inTurn(spec.id, async () => {
        requireSoundSpec(spec)
        if (await dirs.readRecord(spec.id)) return
        const ip = ips.get(spec.id) ?? pickIp(spec.id, new Set(ips.values()))
        ips.set(spec.id, ip)
        try {
          await requireRoom(dataDir)
          const image = await images.use(spec.imageId)
          await dirs.create(spec.id)
          await createRootDisk(dirs.fileOf(spec.id, fileNames.root), image)
          await writeSeed(dirs.fileOf(spec.id, fileNames.seed), spec)
          const address = { ip, port: await pickPort(ip, null) }
          const places = placeInOrder(spec.volumeIds)
          await dirs.writeRecord(spec.id, { spec, address, image, volumes: places, restored: null })
        } catch (error) {
          ips.delete(spec.id)
          await dirs.remove(spec.id)
          throw asEngineError(error, 'The virtual machine could not be made')
        }
      }),

    async startMachine(machineId, { freshRoot, volumeIds }) {
      for (const id of volumeIds) requireId(id)
      // Asked before its turn comes: a living guest may be in the middle of a copy.
      if (isMachineId(machineId) && (await guests.of(machineId).catch(() => null))) return
      await inDiskTurn([machineId, ...volumeIds], () =>
        inTurn(machineId, async () => {
          const record = await dirs.requireRecord(machineId)
          if (await guests.of(machineId)) return
          const { spec } = record
          const root = dirs.fileOf(machineId, fileNames.root)
          try {
            if (process.availableMemory() < (spec.memoryMb + OVERHEAD_MB) * 1024 * 1024) {
              throw new EngineError('no-memory', 'The host has too little free memory for it.', {
                retryable: true,
              })
            }
            await requireRoom(dataDir)
            await host().network.protect()
            for (const id of volumeIds) {
              await volumes.requireThere(id)
              guests.requireFree(id, machineId)
            }
            if (freshRoot && !record.restored) {
              record.image = await images.use(spec.imageId)
              await createRootDisk(root, record.image)
            } else if (await readHeader(root)) {
              await images.verify(spec.imageId, record.image)
            } else {
              throw new EngineError('internal', 'Its root disk is lost or damaged.')
            }
            const saved = record.restored?.memory ?? null
            record.volumes = placesFor(volumeIds, saved)
            record.address.port = await pickPort(record.address.ip, record.address.port)
            await dirs.writeRecord(machineId, record)
            await runs.begin(machineId, record, saved)
          } catch (error) {
            throw asEngineError(error, 'The virtual machine could not be started')
          }
        }),
      )
    },

    powerDown: (machineId) =>
      inTurn(machineId, async () => {
        const guest = isMachineId(machineId) ? await guests.of(machineId) : null
        if (!guest) return
        await dirs.writeMark(machineId, 'asked', guest.run.run)
        // A guest that ends in this moment needs no button.
        await guest.qmp.execute('system_powerdown').catch(() => {})
      }),

    async powerOff(machineId) {
      // Not in its turn at first: that may belong to somebody who waits for a guest that hangs.
      await guests.end(machineId)
      await inTurn(machineId, () => guests.end(machineId))
    },

    async deleteMachine(machineId) {
      if (!isMachineId(machineId)) return
      // First, so that a copy of what it does ends, and whatever waits for its answer, and the turn comes soon.
      await guests.end(machineId)
      await inDiskTurn([machineId, restoreOf(machineId)], () =>
        inTurn(machineId, async () => {
          await guests.end(machineId)
          // The record goes first: what a crash leaves counts as half-made and is cleared at the next start.
          await rm(dirs.fileOf(machineId, fileNames.record), { force: true })
          await dirs.remove(machineId)
          ips.delete(machineId)
          logs.forget(machineId)
          changed(machineId)
        }),
      )
    },
  }
}

/** A guest that goes on from a saved memory finds its volumes where they were; else they come in order. */
function placesFor(volumeIds: readonly string[], saved: MemoryFit | null) {
  const same =
    saved?.volumes.length === volumeIds.length && saved.volumes.every(({ id }) => volumeIds.includes(id))
  return saved && same ? saved.volumes : placeInOrder(volumeIds)
}

function requireSoundSpec(spec: MachineSpec): void {
  for (const id of [spec.id, ...spec.volumeIds]) requireId(id)
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(spec.hostname)) {
    throw new EngineError('internal', 'The host name is not a valid label.')
  }
  if (spec.volumeIds.length > VOLUME_PORTS) {
    throw new EngineError('unsupported', `A virtual machine takes at most ${VOLUME_PORTS} disks.`)
  }
}
