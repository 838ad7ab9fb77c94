import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { BLANK, blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { missing, processesOf } from './qemu-engine.test-kit.ts'

const DAMAGED = 'Its saved memory is missing or damaged.'

describe.skipIf(missing !== undefined)('The memory of a VM snapshot', () => {
  let dataDir: string
  let engine: Engine
  const spec = blankMachine('remembered-1')
  const copy = blankMachine('copy-1')
  const { id } = spec
  const [snapshotId, safetyId] = [randomUUID(), randomUUID()]
  const memory = () => join(dataDir, 'snapshots', snapshotId, 'memory')

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-memory-'))
    // An image of our own, as its guests have a kernel: what goes on from a memory of another machine is one of those.
    const kernel = join(dataDir, 'images', 'files', 'c3d4'.repeat(16))
    await mkdir(join(dataDir, 'images', 'files'), { recursive: true })
    await writeFile(kernel, Buffer.alloc(64 * 1024))
    const image = { disk: join(dataDir, 'images', 'files', BLANK), kernel }
    engine = await blankEngine(dataDir, { images: { use: async () => image } })
    await engine.open()
    await engine.createMachine(spec)
    await start(id)
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work())
  })
  afterEach(async () => {
    for (const one of [id, copy.id]) await engine.deleteMachine(one)
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const start = (machineId: string) => engine.startMachine(machineId, { freshRoot: false, volumeIds: [] })
  async function restore(from = snapshotId, safety = safetyId): Promise<void> {
    await engine.powerOff(id)
    await engine.prepareRestore(id, { snapshotId: from, volumeIds: [] }, work())
    await engine.switchDisks(id, safety, work())
  }
  const fork = () => engine.copyMachine(copy, { snapshotId, volumes: {} }, work())
  /** Of the same size as before, as a disk that fails would leave it. */
  async function damage(path: string): Promise<void> {
    const { size } = await stat(path)
    const file = await open(path, 'r+')
    await file.write(Buffer.from('damaged'), 0, 7, Math.floor(size / 2))
    await file.close()
  }
  async function expectRunning(machineId: string): Promise<void> {
    expect(await engine.inspect(machineId)).toMatchObject({ power: 'booting' })
    expect(await processesOf(machineId)).toHaveLength(1)
  }

  test('is what a restored VM and a fork go on from', async () => {
    await fork()
    expect(await start(copy.id)).toBeNull()
    await restore()
    expect(await start(id)).toBeNull()
    for (const one of [id, copy.id]) await expectRunning(one)
  })

  test('is not gone on from by a restored VM when it is damaged: that boots and says why', async () => {
    await damage(memory())
    await restore()
    expect(await start(id)).toBe(DAMAGED)
    await expectRunning(id)
  })

  test('is not gone on from by a fork when it is damaged: that boots and says why', async () => {
    await damage(memory())
    await fork()
    expect(await start(copy.id)).toBe(DAMAGED)
    await expectRunning(copy.id)
  })

  test('is compared as late as the guest starts', async () => {
    await restore()
    await damage(join(dataDir, 'machines', id, 'memory'))
    expect(await start(id)).toBe(DAMAGED)
    await expectRunning(id)
  })

  test('keeps its checksum in the safety point of a restore that is undone', async () => {
    const again = randomUUID()
    await restore()
    await restore(snapshotId, again)
    await damage(join(dataDir, 'snapshots', again, 'memory'))
    await restore(again, randomUUID())
    expect(await start(id)).toBe(DAMAGED)
  })

  test('is gone on from where an earlier version made no checksum', async () => {
    const path = join(dataDir, 'snapshots', snapshotId, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    expect(manifest.memory.sha256).toMatch(/^[0-9a-f]{64}$/)
    delete manifest.memory.sha256
    await writeFile(path, JSON.stringify(manifest))
    await restore()
    expect(await start(id)).toBeNull()
    await expectRunning(id)
  })
})
