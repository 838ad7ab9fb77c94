/** Making disks larger: by the process of a living guest, which tells it so, or in the file where there is none. */
import { flush } from '../../lib/flush.ts'
import { type Engine, EngineError } from '../engine.ts'
import { memoryKept } from '../limits.ts'
import { volumeNode } from './command-line.ts'
import { asEngineError } from './failure.ts'
import type { Guest } from './guest.ts'
import type { Guests } from './guests.ts'
import { type MachineDirs, requireId } from './machine-dir.ts'
import { growFile, lookAtDisk } from './qcow2.ts'
import { requireRoom } from './room.ts'
import type { Turns } from './turns.ts'
import { dropUnusableBitmaps } from './volume-snapshots.ts'
import type { Volumes } from './volumes.ts'

const NOT_GROWN = 'The disk could not be enlarged'

export function makeGrowth(deps: {
  dirs: MachineDirs
  volumes: Volumes
  guests: Guests
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'growVolume'> {
  const { dirs, volumes, guests, inTurn, inDiskTurn } = deps

  /** By the process that has the disk open. */
  async function growOpen(guest: Guest, node: string, path: string, sizeBytes: number): Promise<void> {
    // QEMU refuses while a bitmap has missed changes; nobody can count from such a one anyway.
    await dropUnusableBitmaps(guest.host, node)
    await guest.qmp.execute('block_resize', { 'node-name': node, size: sizeBytes })
    await flush(path)
  }

  return {
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
