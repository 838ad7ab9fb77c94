// @module-tag long
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeTestAppOver } from './app.test-kit.ts'
import { openDesk, openDeskAt } from './desk.test-kit.ts'
import { makeReachedEngine } from './engine/simulated/reached.ts'
import { serveEngine } from './engine/simulated/served.ts'
import { makeSimulatedEngine, type SimulatedEngine } from './engine/simulated/simulated.ts'
import { systemClock } from './lib/clock.ts'
import { makeHandClock } from './lib/hand-clock.ts'
import { silentLog } from './lib/log.ts'
import { type Place, playAtRandom, type StorageWorld } from './storage.test-kit.ts'

// Other seeds: SLIPWAY_TEST_SEED=… npx vitest run --project=server storage
const seed = Number(process.env.SLIPWAY_TEST_SEED ?? 20_261_121)

function play(desk: StorageWorld['desk'], engine: SimulatedEngine, operations: number) {
  const target = (vmId: string, place: Place) =>
    place === 'root'
      ? { machineId: vmId }
      : place === 'memory'
        ? { memoryOf: vmId }
        : { volumeId: place.diskId }
  const world = {
    desk,
    write: async (vmId: string, place: Place, word: string) => engine.poke(target(vmId, place), word),
    read: async (vmId: string, place: Place) => engine.peek(target(vmId, place)),
    restartServer: desk.app.restart,
  }
  return playAtRandom(world, { seed, operations, maxVms: 3 })
}

test('two hundred random operations on VMs, disks and snapshots end as the model says', async () => {
  const desk = await openDesk()
  const done = await play(desk, desk.app.engine, 200)
  // Every kind of operation was among them.
  expect(done.size).toBe(17)
  await desk.close()
})

test('so do sixty on an engine that is reached over a socket', async () => {
  const clock = makeHandClock()
  const world = makeSimulatedEngine({ clock, hostMemoryMb: 1024 * 1024 })
  const dir = mkdtempSync(path.join(tmpdir(), 'slipway-storage-'))
  const socket = path.join(dir, 'world.sock')
  const stopServing = await serveEngine({ engine: world, path: socket, clock, log: silentLog })
  const engine = makeReachedEngine({ path: socket, clock: systemClock })
  await engine.open()
  const app = await makeTestAppOver({ clock, engine, passTime: () => clock.advance(60_000) })
  const desk = await openDeskAt(app, (ms) => clock.advance(ms))
  await play(desk, world, 60)
  await desk.close()
  await stopServing()
  rmSync(dir, { recursive: true })
})
