import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildOnEachOther,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  work,
} from './engine.test-kit.ts'
import type { Engine } from './engine.ts'

const GIB = 1024 ** 3

/**
 * The promises of the engine port about how large root disks are. Where the harness has a real guest, it is asked how large its
 * disk and its file system are.
 */
export function describeRootDisks(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine with root disks of any size`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, code, needs, inGuest, powerOff, remove } = moves
    const machine = machineSpec('roomy-1', { rootBytes: 5 * GIB })
    const { id } = machine
    const [then, safety] = [randomUUID(), randomUUID()]

    const start = async (freshRoot = false) => {
      await done(engine.startMachine(id, { freshRoot, volumeIds: [] }))
      return until(id, 'ready')
    }
    const grow = (gib: number) => done(engine.growRoot(id, gib * GIB))
    const size = async () => (await grow(1)).sizeBytes / GIB

    /** The guest has a disk of that size, and a file system that makes use of it. */
    async function guestHas(gib: number): Promise<void> {
      if (!harness.ssh) return
      const asked = 'set -- $(df -k / | tail -n 1); cat /sys/class/block/$(basename $1)/size; echo $2'
      const look = async () => {
        const [sectors, kilobytes] = (await inGuest(id, asked)).split('\n').map(Number)
        return [(sectors ?? 0) * 512, (kilobytes ?? 0) * 1024 > (gib - 0.5) * GIB]
      }
      await expect.poll(look, { interval: 500 }).toEqual([gib * GIB, true])
    }

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, machine))
      await moves.imageIsReady()
      await done(engine.createMachine(machine))
    })
    afterAll(async () => {
      await remove(id)
      await done(engine.deleteMachineSnapshot(then))
      await done(engine.deleteMachineSnapshot(safety))
      await engine.close()
      await harness.cleanUp()
    })

    test('it is made as large as was asked for, and the guest makes use of it at its first boot', async () => {
      const made = await size()
      expect(made).toBeGreaterThanOrEqual(5)
      await start()
      await guestHas(made)
      expect((await grow(5)).fileSystem).toBe('grown')
    })

    test('of a living guest it becomes larger, with its file system, and never smaller', async ({ skip }) => {
      needs('growRootDisks', skip)
      expect(await code(engine.growRoot(randomUUID(), GIB))).toBe('machine-missing')
      await done(engine.createMachineSnapshot(then, { machineId: id, volumeIds: [], memory: false }, work()))
      const fileSystem = harness.growsAtBoot ? 'next-boot' : 'grown'
      expect(await grow(6)).toEqual({ sizeBytes: 6 * GIB, fileSystem })
      expect(await grow(5)).toEqual({ sizeBytes: 6 * GIB, fileSystem })
      await guestHas(6)
    })

    test('without a guest it becomes larger, and its file system at the next boot', async ({ skip }) => {
      needs('growRootDisks', skip)
      await powerOff(id)
      expect(await grow(7)).toEqual({ sizeBytes: 7 * GIB, fileSystem: 'next-boot' })
      await start()
      await guestHas(7)
    })

    test('one that is put back to an earlier moment keeps its size', async ({ skip }) => {
      needs('growRootDisks', skip)
      await done(engine.prepareRestore(id, { snapshotId: then, volumeIds: [] }, work()))
      await powerOff(id)
      await done(engine.switchDisks(id, safety, work()))
      expect(await size()).toBe(7)
      await start()
      await guestHas(7)
    })

    test('one that starts from the image again has the size, also for a new engine', async ({ skip }) => {
      needs('growRootDisks', skip)
      await powerOff(id)
      await engine.close()
      engine = await harness.open()
      await start(true)
      await guestHas(7)
      expect(await size()).toBe(7)
    })
  })
}
