import type { Engine } from '../engine.ts'
import { asEngineError } from './failure.ts'
import { isGone } from './guest.ts'
import type { Guests } from './guests.ts'
import { freePort, plugIn, unplug } from './hot-plug.ts'
import { isMachineId, type MachineDirs, requireId } from './machine-dir.ts'
import type { Turns } from './turns.ts'
import type { Volumes } from './volumes.ts'

/** Which machine has which volume; one that no guest has may be deleted. */
export function makeAttachments(deps: {
  dirs: MachineDirs
  volumes: Volumes
  guests: Guests
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'attachVolume' | 'detachVolume' | 'deleteVolume'> {
  const { dirs, volumes, guests, inTurn, inDiskTurn } = deps

  return {
    async attachVolume(machineId, volumeId) {
      requireId(volumeId)
      await inDiskTurn([machineId, volumeId], () =>
        inTurn(machineId, async () => {
          const record = await dirs.requireRecord(machineId)
          try {
            await volumes.requireThere(volumeId)
            guests.requireFree(volumeId, machineId)
            const guest = await guests.of(machineId)
            if (guest) {
              await plugIn(guest, volumeId, volumes.pathOf(volumeId))
              record.volumes = [...guest.volumes()]
            } else if (!record.volumes.some(({ id }) => id === volumeId)) {
              record.volumes.push({ id: volumeId, port: freePort(record.volumes) })
            }
            await dirs.writeRecord(machineId, record)
          } catch (error) {
            throw asEngineError(error, 'The disk could not be attached')
          }
        }),
      )
    },

    async detachVolume(machineId, volumeId) {
      if (!isMachineId(machineId)) return 'released'
      return inDiskTurn([machineId, volumeId], async () => {
        const guest = await inTurn(machineId, () => guests.of(machineId))
        try {
          // Not in the machine's turn: a guest that takes its time can still be powered off.
          if (guest && !(await unplug(guest, volumeId))) return 'kept'
          await inTurn(machineId, () => dirs.forgetVolume(machineId, volumeId))
          return 'released'
        } catch (error) {
          if (await isGone(machineId, guest)) return 'released'
          throw asEngineError(error, 'The disk could not be detached')
        }
      })
    },

    async deleteVolume(volumeId) {
      requireId(volumeId)
      await inDiskTurn(volumeId, async () => {
        guests.requireFree(volumeId)
        await volumes.remove(volumeId)
      })
    },
  }
}
