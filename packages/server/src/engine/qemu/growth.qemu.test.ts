// @module-tag full
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { missing, signalGuest } from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024

if (missing) console.log(`SKIPPED: ${missing}, so disks were not made larger on QEMU`)

describe.skipIf(missing !== undefined)('disks that are made larger, over a guest that boots nothing', () => {
  const dataDir = directoryForAll()
  let engine: Engine
  const [data, machine] = [randomUUID(), blankMachine('growing-1')]
  const pathOf = (id: string) => join(dataDir(), 'volumes', `${id}.qcow2`)
  const sizeOf = async (id: string) => {
    const state = await engine.inspectVolume(id)
    return state.state === 'whole' ? state.sizeBytes / MIB : state.state
  }
  const start = () => engine.startMachine(machine.id, { freshRoot: false, volumeIds: [data] })
  const snapshot = (id: string, parentId: string | null) =>
    engine.createVolumeSnapshot(id, { volumeId: data, parentId }, work())
  const copyOf = async (snapshotId: string) => {
    const id = randomUUID()
    await engine.createVolume(volumeSpec(id, { from: 'volume-snapshot', snapshotId }, 0), work())
    return id
  }

  beforeAll(async () => {
    engine = await blankEngine(dataDir())
    await engine.open()
    await engine.createVolume(volumeSpec(data, { from: 'nothing' }, 16 * MIB), work())
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 7 1M 1M', pathOf(data)])
    await engine.createMachine(machine)
  })
  afterAll(async () => {
    await engine?.deleteMachine(machine.id)
    await engine?.close()
  })

  test('what a snapshot counts from stays: the next one stores only what changed, and all of the new size', async () => {
    const [base, next, last] = [randomUUID(), randomUUID(), randomUUID()]
    await start()
    await snapshot(base, null)
    await engine.growVolume(data, machine.id, 32 * MIB)
    expect(await sizeOf(data)).toBe(32)
    expect((await snapshot(next, base)).parentId).toBe(base)
    await engine.powerOff(machine.id)
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 9 30M 1M', pathOf(data)])
    await engine.growVolume(data, machine.id, 48 * MIB)
    expect((await snapshot(last, next)).parentId).toBe(next)
    expect(await sizeOf(await copyOf(base))).toBe(16)
    expect(await sizeOf(await copyOf(next))).toBe(32)
    const copy = await copyOf(last)
    await run('qemu-img', ['compare', '-f', 'qcow2', '-F', 'qcow2', pathOf(copy), pathOf(data)])
  })

  test('a guest that was killed has lost count of changes, which keeps no disk from becoming larger', async () => {
    const [base, next] = [randomUUID(), randomUUID()]
    await start()
    await snapshot(base, null)
    await signalGuest(machine.id, 'SIGKILL')
    await expect.poll(async () => (await engine.inspect(machine.id)).power).toBe('off')
    // The engine may not have heard of its end yet.
    const grow = () => engine.growVolume(data, machine.id, 56 * MIB).catch(({ code }) => code)
    await expect.poll(grow).toBe(56 * MIB)
    expect(await sizeOf(data)).toBe(56)
    await start()
    expect((await snapshot(next, base)).parentId).toBeNull()
    await engine.growVolume(data, machine.id, 64 * MIB)
    expect(await sizeOf(data)).toBe(64)
    await engine.powerOff(machine.id)
  })

  test('a restore brings back what was in it, and leaves it as large as it is', async () => {
    const [then, safety] = [randomUUID(), randomUUID()]
    const source = { machineId: machine.id, volumeIds: [data], memory: false }
    await engine.createMachineSnapshot(then, source, work())
    await engine.growVolume(data, machine.id, 80 * MIB)
    await engine.prepareRestore(machine.id, { snapshotId: then, volumeIds: [data] }, work())
    await engine.growVolume(data, machine.id, 96 * MIB)
    await engine.switchDisks(machine.id, safety, work())
    expect(await sizeOf(data)).toBe(96)
    await run('qemu-io', ['-f', 'qcow2', '-r', '-c', 'read -P 7 1M 1M', pathOf(data)])
  })

  test('of a suspended machine it waits, and is done when its guest runs again', async () => {
    await start()
    await engine.suspendMachine(machine.id, work())
    await expect(engine.growVolume(data, machine.id, 128 * MIB)).rejects.toMatchObject({
      code: 'volume-busy',
      retryable: true,
    })
    await start()
    await engine.growVolume(data, machine.id, 128 * MIB)
    expect(await sizeOf(data)).toBe(128)
    await engine.powerOff(machine.id)
  })
})
