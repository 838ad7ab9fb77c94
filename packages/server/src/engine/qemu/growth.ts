/**
 * Making disks larger: by the process of a living guest, which tells it so, or in the file where there is none.
 * What a file system makes of it is asked of the guest, for root disks only.
 */
import { flush } from '../../lib/flush.ts'
import { type Engine, EngineError, type RootGrown } from '../engine.ts'
import { memoryKept } from '../limits.ts'
import { ROOT_NODE, volumeNode } from './command-line.ts'
import { asEngineError } from './failure.ts'
import type { Guest } from './guest.ts'
import { growInGuest } from './guest-growth.ts'
import type { Guests } from './guests.ts'
import { fileNames, type MachineDirs, requireId } from './machine-dir.ts'
import { growFile, lookAtDisk } from './qcow2.ts'
import { requireRoom } from './room.ts'
import type { Turns } from './turns.ts'
import { dropUnusableBitmaps } from './volume-snapshots.ts'
import type { Volumes } from './volumes.ts'

const NOT_GROWN = 'The disk could not be enlarged'
const rootLost = 'The root disk of the VM is missing or damaged.'

export function makeGrowth(deps: {
  dirs: MachineDirs
  volumes: Volumes
  guests: Guests
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'growVolume' | 'growRoot'> {
  const { dirs, volumes, guests, inTurn, inDiskTurn } = deps

  /** By the process that has the disk open. */
  async function growOpen(guest: Guest, node: string, path: string, sizeBytes: number): Promise<void> {
    // QEMU refuses while a bitmap has missed changes; nobody can count from such a one anyway.
    await dropUnusableBitmaps(guest.host, node)
    await guest.qmp.execute('block_resize', { 'node-name': node, size: sizeBytes })
    await flush(path)
  }

  /** What root disks are from now on that start from the image again. The turn of the machine's disks is the caller's. */
  const noteRoot = (machineId: string, rootBytes: number) =>
    inTurn(machineId, async () => {
      const record = await dirs.requireRecord(machineId)
      if ((record.spec.rootBytes ?? 0) >= rootBytes) return record
      const next = { ...record, spec: { ...record.spec, rootBytes } }
      await dirs.writeRecord(machineId, next)
      return next
    })

  return {
    async growRoot(machineId, sizeBytes): Promise<RootGrown> {
      requireId(machineId)
      try {
        const bytes = await inDiskTurn(machineId, async () => {
          const path = dirs.fileOf(machineId, fileNames.root)
          const { restored } = await dirs.requireRecord(machineId)
          const disk = await lookAtDisk(path)
          if (disk.is !== 'disk') throw new EngineError('internal', rootLost, { retryable: true })
          if (disk.virtualBytes >= sizeBytes) return disk.virtualBytes
          const guest = await inTurn(machineId, () => guests.of(machineId))
          if (!guest && restored?.memory)
            throw new EngineError('volume-busy', memoryKept, { retryable: true })
          await requireRoom(dirs.pathOf(machineId))
          await noteRoot(machineId, sizeBytes)
          if (guest) await growOpen(guest, ROOT_NODE, path, sizeBytes)
          else await growFile(path, sizeBytes)
          return sizeBytes
        })
        // Also of one that is as large already: the guest may not have been asked before a server was killed.
        const guest = await guests.of(machineId)
        const isUsed = guest !== null && (await growInGuest(guest.agent))
        return { sizeBytes: bytes, fileSystem: isUsed ? 'grown' : 'next-boot' }
      } catch (error) {
        throw asEngineError(error, NOT_GROWN)
      }
    },

    async growVolume(volumeId, machineId, sizeBytes) {
      requireId(volumeId)
      if (machineId !== null) requireId(machineId)
      // Whoever copies the disk, or changes which guest has it, comes first.
      return inDiskTurn([volumeId, ...(machineId === null ? [] : [machineId])], async () => {
        try {
          await volumes.requireThere(volumeId)
          const path = volumes.pathOf(volumeId)
          const disk = await lookAtDisk(path)
          if (disk.is !== 'disk') throw new EngineError('internal', 'The file of the disk is damaged.')
          if (disk.virtualBytes >= sizeBytes) return disk.virtualBytes
          await requireRoom(volumes.dir)
          const guest = machineId === null ? null : await inTurn(machineId, () => guests.of(machineId))
          const place = guest?.volumes().find(({ id }) => id === volumeId)
          if (guest && place) {
            await growOpen(guest, volumeNode(place.port), path, sizeBytes)
          } else {
            guests.requireFree(volumeId)
            const record = machineId === null ? null : await dirs.readRecord(machineId)
            if (record?.restored?.memory && record.volumes.some(({ id }) => id === volumeId))
              throw new EngineError('volume-busy', memoryKept, { retryable: true })
            await growFile(path, sizeBytes)
          }
          return sizeBytes
        } catch (error) {
          throw asEngineError(error, NOT_GROWN)
        }
      })
    },
  }
}
