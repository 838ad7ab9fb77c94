import type { BootImage } from '../../../image/image-store.ts'
import type { Log } from '../../../lib/log.ts'
import type { HostFacts } from '../host-facts.ts'
import type { MachineDirs } from '../machine-dir.ts'
import type { Plug } from '../network/plug.ts'
import type { KeptSpec, MachineRecord } from '../records.ts'
import type { Runs } from '../runs.ts'
import { whyCold } from './fit.ts'
import type { Reserve } from './reserve.ts'
import type { ReservedGuest } from './reserved-guest.ts'

/** First starts of machines with the guest of the reserve that is in their place. The turn of the machine is the caller's. */
export function makeReservedStarts(deps: {
  dirs: MachineDirs
  reserve: Reserve
  runs: Runs
  networks: { useSpare: (machineId: string) => Promise<boolean> }
  host: () => HostFacts
  freshRoot: (spec: KeptSpec, image: BootImage) => Promise<void>
  log: Log
}) {
  const { dirs, reserve, runs, networks, host, freshRoot, log } = deps

  /** Ends it where it has not begun. The root disk that it wrote to goes with it. */
  async function end(machineId: string): Promise<void> {
    if (!(await reserve.isMovedIn(machineId))) return
    await reserve.endMovedIn(machineId)
    const record = await dirs.readRecord(machineId)
    if (record) await freshRoot(record.spec, record.image)
    await reserve.hasBegun(machineId)
  }

  return {
    end,

    /** The guest that a machine can begin with; one that is there and does not fit is ended. */
    async find(
      machineId: string,
      record: MachineRecord,
      wanted: { volumeIds: readonly string[]; seedIsAsMade: boolean },
    ): Promise<ReservedGuest | null> {
      const guest = reserve.movedIn(machineId)
      const isFirst = !record.restored && whyCold(record) === null
      const isPlain = wanted.volumeIds.length === 0 && wanted.seedIsAsMade
      if (guest && isFirst && isPlain && host().network.apart === null) {
        if (reserve.fits(machineId, record.spec, record.image)) return guest
      }
      await end(machineId)
      return null
    },

    /** Gives it the network of the machine; false when that cannot be, and it has ended. */
    async plugIn(machineId: string): Promise<boolean> {
      if (await networks.useSpare(machineId)) return true
      await end(machineId)
      return false
    },

    /** Begins; false when the machine has to start in another way, and it has ended. */
    async begin(
      machineId: string,
      record: MachineRecord,
      plug: Plug,
      guest: ReservedGuest,
    ): Promise<boolean> {
      try {
        await runs.beginReserved(machineId, record, plug, guest)
        await reserve.hasBegun(machineId)
        return true
      } catch (error) {
        log.warn({ machine: machineId, err: error }, 'A guest of the reserve could not begin')
        await end(machineId)
        return false
      }
    },
  }
}
