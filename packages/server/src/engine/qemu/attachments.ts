import { type Engine, EngineError } from '../engine.ts'
import { asEngineError } from './failure.ts'
import { isGone } from './guest.ts'
import type { Guests } from './guests.ts'
import { freePort, plugIn, unplug } from './hot-plug.ts'
import { isMachineId, type MachineDirs, requireId } from './machine-dir.ts'
import type { Restore } from './restore.ts'
import type { Turns } from './turns.ts'
import type { Volumes } from './volumes.ts'

/** Which machine has which volume; one that no guest has may be deleted. */
export function makeAttachments(deps: {
  dirs: MachineDirs
  volumes: Volumes
  /** A restore whose disks are changing is completed before a machine gets or loses one. */
  restore: Pick<Restore, 'complete'>
  guests: Guests
  inTurn: Turns
  inDiskTurn: Turns
}): Pick<Engine, 'attachVolume' | 'detachVolume' | 'deleteVolume'> {
  const { dirs, volumes, restore, guests, inTurn, inDiskTurn } = deps

  return {
    async attachVolume(machineId, volumeId) {
      requireId(volumeId)
      await inDiskTurn([machineId, volumeId], () =>
        inTurn(machineId, async () => {
          try {
            await restore.complete(machineId)
            const record = await dirs.requireRecord(machineId)
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

    async detachVolume(machineId, volumeId, { signal }) {
      if (!isMachineId(machineId)) return 'released'
      const forget = () => inTurn(machineId, () => dirs.forgetVolume(machineId, volumeId))
      return inDiskTurn([machineId, volumeId], async () => {
        // The wish may have been taken back while it waited for its turn.
        goOn(signal)
        const guest = await inTurn(machineId, async () => {
          await restore.complete(machineId)
          return guests.of(machineId)
        }).catch((error: unknown) => {
          throw asEngineError(error, NOT_DETACHED)
        })
        try {
          // Not in the machine's turn: a guest that takes its time can still be powered off.
          if (guest && !(await unplug(guest, volumeId, signal))) return 'kept'
          goOn(signal)
          await forget()
          return 'released'
        } catch (error) {
          if (signal.aborted) throw ended(error)
          if (!(await isGone(machineId, guest))) throw asEngineError(error, NOT_DETACHED)
          await forget()
          return 'released'
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

const NOT_DETACHED = 'The disk could not be detached'

const ended = (cause?: unknown) =>
  new EngineError('aborted', `${NOT_DETACHED}: it was ended.`, { cause, retryable: true })

function goOn(signal: AbortSignal): void {
  if (signal.aborted) throw ended()
}
