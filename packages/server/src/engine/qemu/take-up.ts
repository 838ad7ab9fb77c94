import type { Log } from '../../lib/log.ts'
import type { Guests } from './guests.ts'
import type { MachineDirs } from './machine-dir.ts'
import type { MachineSnapshots } from './machine-snapshots.ts'
import type { Restore } from './restore.ts'
import { fewAtATime } from './turns.ts'

/**
 * Takes up the machines and their snapshots that an earlier process left: finds living guests, completes restores,
 * clears what was certainly left half-made. What cannot be read stays as it is and is logged.
 *
 * @returns a function that does it once, and again when it could not be done; it throws an UnreadableError then
 */
export function makeTakeUp(deps: {
  dirs: MachineDirs
  adopt: (machineId: string) => Promise<void>
  /** Finishes what was under way of its files, once all living guests are held. */
  settle: (machineId: string) => Promise<void>
  guests: Guests
  restore: Restore
  snapshots: MachineSnapshots
  log: Log
}): () => Promise<void> {
  const { dirs, adopt, settle, guests, restore, snapshots, log } = deps
  let begun: Promise<void> | null = null

  async function takeUp(): Promise<void> {
    const ids = await dirs.ids()
    const living = await fewAtATime(ids, async (id) => {
      await adopt(id).catch((err: unknown) => log.error({ machine: id, err }, 'A VM was not taken up'))
      const run = await guests.livingRun(id).catch(() => null)
      return run && id
    })
    // All of them at once: a guest that does not answer must not hold up the others.
    const held = living
      .filter((id) => id !== null)
      .map((id) =>
        guests.of(id).catch((err: unknown) => log.warn({ machine: id, err }, 'A guest was not adopted')),
      )
    await Promise.all(held)
    await fewAtATime(ids, (id) =>
      settle(id).catch((err: unknown) => log.error({ machine: id, err }, 'A VM was not taken up')),
    )
    await clearSnapshots(ids)
  }

  async function clearSnapshots(ids: readonly string[]): Promise<void> {
    let filling: Set<string>
    try {
      const found = await fewAtATime(ids, restore.filling)
      filling = new Set(found.filter((id) => id !== null))
    } catch (err) {
      // A restore that cannot be read may have put disks into any snapshot that looks half-made.
      log.error({ err }, 'Half-made VM snapshots were not cleared')
      return
    }
    await snapshots
      .open(filling, (id, what) => log.error({ id, ...what }, 'A VM snapshot is not what it should be'))
      .catch((err: unknown) => log.error({ err }, 'The directory of VM snapshots cannot be read'))
  }

  return () => {
    begun ??= takeUp().catch((error: unknown) => {
      begun = null
      throw error
    })
    return begun
  }
}
