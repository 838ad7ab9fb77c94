import type { Log } from '../../lib/log.ts'
import type { ConsoleLogs } from '../console/console-logs.ts'
import type { Engine, MachineState } from '../engine.ts'
import { UnreadableError } from './durable.ts'
import { exitOf } from './exit.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { fileNames, isMachineId, type MachineDirs } from './machine-dir.ts'
import type { OrUnreadable } from './or-unreadable.ts'
import { lookAtDisk } from './qcow2.ts'
import { addressIn } from './records.ts'
import type { Runs } from './runs.ts'
import { fewAtATime } from './turns.ts'

/** What machines are now, as their directories and processes tell. */
export function makeMachineStates(deps: {
  dirs: MachineDirs
  guests: Guests
  runs: Runs
  logs: ConsoleLogs
  log: Log
  host: () => HostFacts
  orUnreadable: OrUnreadable
}): Pick<Engine, 'inspect' | 'list'> {
  const { dirs, guests, runs, logs, log, host, orUnreadable } = deps

  const inspect = (machineId: string): Promise<MachineState> =>
    orUnreadable<MachineState>(
      machineId,
      () => look(machineId),
      (reason) => ({ power: 'unreadable', reason }),
    )

  async function look(machineId: string): Promise<MachineState> {
    if (!isMachineId(machineId)) return { power: 'absent' }
    const record = await dirs.readRecord(machineId)
    if (!record) return { power: 'absent' }
    const launching = runs.launching(machineId)
    if (launching)
      return { power: 'booting', run: launching.run, address: addressIn(record, launching), held: null }
    try {
      const guest = await guests.of(machineId)
      if (guest) {
        const { address } = guest
        const { run, warm } = guest.run
        const begun = warm ? { warm: true } : {}
        return guest.isReady()
          ? { power: 'ready', run, address, ...begun }
          : { power: 'booting', run, address, held: null, ...begun }
      }
    } catch (error) {
      if (error instanceof UnreadableError) throw error
      // It lives, but its line is taken or it does not answer: a guest of which nothing more is known.
      log.warn({ machine: machineId, error }, 'A guest does not answer the engine')
      const living = await guests.livingRun(machineId)
      if (living) {
        const { run } = living.run
        // Ready is a fact of the run, which one that hangs now has reached or not.
        const address = addressIn(record, living.run)
        return (await dirs.wasReady(machineId, run))
          ? { power: 'ready', run, address }
          : { power: 'booting', run, address, held: null }
      }
    }
    if ((await lookAtDisk(dirs.fileOf(machineId, fileNames.root))).is !== 'disk') {
      // Deleted between two looks?
      if (!(await dirs.readRecord(machineId))) return { power: 'absent' }
      return { power: 'broken', reason: 'The root disk of the VM is missing or damaged.' }
    }
    const run = await dirs.readRun(machineId)
    if (record.restored?.suspended) return { power: 'suspended', run: run?.run ?? null }
    if (!run) return { power: 'off', run: null, exit: null }
    return { power: 'off', run: run.run, exit: await exitOf(dirs, machineId, { run, bootId: host().bootId }) }
  }

  return {
    inspect,
    async list() {
      const states = await fewAtATime(await dirs.ids(), async (id): Promise<[string, MachineState]> => {
        if (guests.isHeld(id)) await logs.trim(id).catch(() => {})
        return [id, await inspect(id)]
      })
      return new Map(states.filter(([, state]) => state.power !== 'absent'))
    },
  }
}
