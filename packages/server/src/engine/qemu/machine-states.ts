import type { Log } from '../../lib/log.ts'
import type { Engine, MachineState } from '../engine.ts'
import type { ConsoleLogs } from './console-log.ts'
import { exitOf } from './exit.ts'
import type { Guests } from './guests.ts'
import type { HostFacts } from './host-facts.ts'
import { fileNames, isMachineId, type MachineDirs } from './machine-dir.ts'
import { readHeader } from './qcow2.ts'
import type { Runs } from './runs.ts'

/** What machines are now, as their directories and processes tell. */
export function makeMachineStates(deps: {
  dirs: MachineDirs
  guests: Guests
  runs: Runs
  logs: ConsoleLogs
  log: Log
  host: () => HostFacts
}): Pick<Engine, 'inspect' | 'list'> {
  const { dirs, guests, runs, logs, log, host } = deps

  async function inspect(machineId: string): Promise<MachineState> {
    if (!isMachineId(machineId)) return { power: 'absent' }
    const record = await dirs.readRecord(machineId)
    if (!record) return { power: 'absent' }
    const launching = runs.launching(machineId)
    if (launching) return { power: 'booting', run: launching.run, address: record.address }
    try {
      const guest = await guests.of(machineId)
      if (guest) {
        const { address } = guest
        const run = guest.run.run
        return guest.isReady() ? { power: 'ready', run, address } : { power: 'booting', run, address }
      }
    } catch (error) {
      // It lives, but its line is taken or it does not answer: a guest of which nothing more is known.
      log.warn({ machine: machineId, error }, 'A guest does not answer the engine')
      const living = await guests.livingRun(machineId)
      if (living) {
        const { run } = living.run
        // Ready is a fact of the run, which one that hangs now has reached or not.
        const power = (await dirs.readMark(machineId, 'ready')) === run ? 'ready' : 'booting'
        return { power, run, address: record.address }
      }
    }
    if (!(await readHeader(dirs.fileOf(machineId, fileNames.root)))) {
      // Deleted between two looks?
      if (!(await dirs.readRecord(machineId))) return { power: 'absent' }
      return { power: 'broken', reason: 'Its root disk is lost or damaged.' }
    }
    const run = await dirs.readRun(machineId)
    if (!run) return { power: 'off', run: null, exit: null }
    return { power: 'off', run: run.run, exit: await exitOf(dirs, machineId, { run, bootId: host().bootId }) }
  }

  return {
    inspect,
    async list() {
      const look = async (id: string): Promise<[string, MachineState]> => {
        if (guests.isHeld(id)) await logs.trim(id).catch(() => {})
        return [id, await inspect(id)]
      }
      const states = await Promise.all((await dirs.ids()).map(look))
      return new Map(states.filter(([, state]) => state.power !== 'absent'))
    },
  }
}
