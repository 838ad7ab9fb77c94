import { expect, test } from 'vitest'
import { openDesk } from './desk.test-kit.ts'
import { type Place, playAtRandom } from './storage.test-kit.ts'

// Other seeds: SLIPWAY_TEST_SEED=… npx vitest run --project=server storage
const seed = Number(process.env.SLIPWAY_TEST_SEED ?? 20_261_121)

test('two hundred random operations on VMs, disks and snapshots end as the model says', async () => {
  const desk = await openDesk()
  const { engine } = desk.app
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
  const done = await playAtRandom(world, { seed, operations: 200, maxVms: 3 })
  // Every kind of operation was among them.
  expect(done.size).toBe(17)
  await desk.close()
}, 120_000)
