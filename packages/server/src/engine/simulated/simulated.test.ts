import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeHandClock } from '../../lib/hand-clock.ts'
import { newId } from '../../lib/id.ts'
import { describeEngine, type EngineHarness } from '../engine.suite.ts'
import { makeSimulatedEngine, type SimulatedEngine } from './simulated.ts'

async function makeHarness(): Promise<EngineHarness> {
  const clock = makeHandClock()
  const file = path.join(tmpdir(), `slipway-simulated-${newId()}.json`)
  let engine: SimulatedEngine
  return {
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
    async cleanUp() {
      rmSync(file, { force: true })
    },
  }
}

describeEngine('Simulated', makeHarness)
