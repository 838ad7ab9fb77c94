import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../lib/log.ts'
import type { Guests } from './guests.ts'
import { plugIn } from './hot-plug.ts'
import type { MachineDirs } from './machine-dir.ts'
import type { Turns } from './turns.ts'
import type { Volumes } from './volumes.ts'

/** A guest that lets go of a disk again and again gets it back no more often than that. */
const PAUSE_MS = 1000
const TRIES = 5

/**
 * Gives a guest back a volume that it let go of although its machine has it: because it was asked for and nobody wanted
 * it any more when the guest answered, or of its own will. What a machine has is in its record, which its owner knows.
 */
export function makeReturns(deps: {
  dirs: Pick<MachineDirs, 'readRecord' | 'writeRecord'>
  volumes: Pick<Volumes, 'pathOf'>
  guests: Pick<Guests, 'of' | 'requireFree' | 'isClosed'>
  inTurn: Turns
  inDiskTurn: Turns
  log: Pick<Log, 'warn'>
  pauseMs?: number
}): (machineId: string, volumeId: string) => Promise<void> {
  const { dirs, volumes, guests, inTurn, inDiskTurn, log, pauseMs = PAUSE_MS } = deps

  const giveBack = (machineId: string, volumeId: string): Promise<void> =>
    inDiskTurn([machineId, volumeId], () =>
      inTurn(machineId, async () => {
        const record = await dirs.readRecord(machineId)
        if (!record?.volumes.some(({ id }) => id === volumeId)) return
        const guest = await guests.of(machineId)
        if (!guest || guest.volumes().some(({ id }) => id === volumeId)) return
        guests.requireFree(volumeId, machineId)
        await plugIn(guest, volumeId, volumes.pathOf(volumeId))
        await dirs.writeRecord(machineId, { ...record, volumes: [...guest.volumes()] })
        log.warn(
          { machine: machineId, volume: volumeId },
          'A guest let go of a disk of its VM and got it again',
        )
      }),
    )

  return async function giveBackSoon(machineId, volumeId) {
    for (let attempt = 1; ; attempt += 1) {
      await sleep(attempt * pauseMs, undefined, { ref: false })
      // The next engine looks at what its guests have when it opens.
      if (guests.isClosed()) return
      try {
        return await giveBack(machineId, volumeId)
      } catch (error) {
        if (attempt === TRIES) throw error
      }
    }
  }
}
