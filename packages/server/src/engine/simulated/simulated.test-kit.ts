import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type HandClock, makeHandClock } from '../../lib/hand-clock.ts'
import { newId } from '../../lib/id.ts'
import { type EngineHarness, machineSpec } from '../engine.test-kit.ts'
import { makeSimulatedEngine, type SimulatedEngine } from './simulated.ts'

/** What the suite of all engines needs of the simulated one, on a clock moved by hand. */
export async function makeSimulatedHarness(): Promise<
  Omit<EngineHarness, 'open'> & { clock: HandClock; open: () => Promise<SimulatedEngine> }
> {
  const clock = makeHandClock()
  const file = path.join(tmpdir(), `slipway-simulated-${newId()}.json`)
  let engine: SimulatedEngine
  return {
    clock,
    async open() {
      engine = makeSimulatedEngine({ clock, file })
      await engine.open()
      return engine
    },
    imageId: 'starter',
    sshPublicKey: 'ssh-ed25519 AAAA',
    pass: (ms) => clock.advance(ms),
    async happen(machineId, what) {
      if (what === 'is killed') engine.endRun(machineId, { how: 'crashed', reason: 'The guest was killed.' })
      else engine.endRun(machineId, { how: what === 'reboots' ? 'reboot' : 'clean' })
    },
    async work(machineId, seconds) {
      engine.setLoad(machineId, 100)
      await clock.advance(seconds * 1000)
    },
    poke: async (where, text) => engine.poke(where, text),
    peek: async (where) => engine.peek(where),
    async damage(what) {
      if ('volumeId' in what) engine.loseVolume(what.volumeId)
      else if ('machineSnapshotId' in what) engine.loseSnapshot('machine', what.machineSnapshotId)
      else engine.loseSnapshot('volume', what.volumeSnapshotId)
    },
    async hide(what, hidden) {
      for (const id of Object.values(what)) engine.hide(id, hidden)
    },
    unmountVolumes: async (unmounted) => engine.unmountVolumes(unmounted),
    async cleanUp() {
      rmSync(file, { force: true })
    },
  }
}

/** A machine for tests that look at one thing. */
export const simulatedMachine = (hostname: string) =>
  machineSpec(hostname, { memoryMb: 512, imageId: 'starter' })
