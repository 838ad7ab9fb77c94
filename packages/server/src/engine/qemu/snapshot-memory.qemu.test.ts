// @module-tag full
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { work } from '../engine.test-kit.ts'
import { BLANK, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { missing, processesOf } from './qemu-engine.test-kit.ts'

const DAMAGED = 'Its saved memory is missing or damaged.'

describe.skipIf(missing !== undefined)('The memory of a VM snapshot', () => {
  const spec = blankMachine('remembered-1')
  const copy = blankMachine('copy-1')
  const { id } = spec
  const [snapshotId, safetyId] = [randomUUID(), randomUUID()]
  const { dataDir, engine } = blankEngineForEach([spec, copy], async (dir) => {
    // An image of our own, as its guests have a kernel: what goes on from a memory of another machine is one of those.
    const files = join(dir, 'images', 'files')
    const image = { disk: join(files, BLANK), kernel: join(files, 'c3d4'.repeat(16)) }
    await mkdir(files, { recursive: true })
    await writeFile(image.kernel, Buffer.alloc(64 * 1024))
    return { images: { use: async () => image } }
  })
  const memory = () => join(dataDir(), 'snapshots', snapshotId, 'memory')
  beforeEach(async () => {
    await engine().createMachine(spec)
    await start(id)
    await engine().createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work())
  })

  const start = (machineId: string) => engine().startMachine(machineId, { freshRoot: false, volumeIds: [] })
  async function restore(from = snapshotId, safety = safetyId): Promise<void> {
    await engine().powerOff(id)
    await engine().prepareRestore(id, { snapshotId: from, volumeIds: [] }, work())
    await engine().switchDisks(id, safety, work())
  }
  const fork = () => engine().copyMachine(copy, { snapshotId, volumes: {} }, work())
  /** Of the same size as before, as a disk that fails would leave it. */
  async function damage(path: string): Promise<void> {
    const { size } = await stat(path)
    const file = await open(path, 'r+')
    await file.write(Buffer.from('damaged'), 0, 7, Math.floor(size / 2))
    await file.close()
  }
  async function expectRunning(machineId: string): Promise<void> {
    expect(await engine().inspect(machineId)).toMatchObject({ power: 'booting' })
    expect(await processesOf(machineId)).toHaveLength(1)
  }

  test.each([
    ['restored VM', id, restore],
    ['fork', copy.id, fork],
  ] as const)('is not gone on from by a %s when it is damaged: that says why', async (_, machineId, make) => {
    await damage(memory())
    await make()
    expect(await start(machineId)).toBe(DAMAGED)
    await expectRunning(machineId)
  })

  test('is compared as late as the guest starts', async () => {
    await restore()
    await damage(join(dataDir(), 'machines', id, 'memory'))
    expect(await start(id)).toBe(DAMAGED)
    await expectRunning(id)
  })

  test('keeps its checksum in the safety point of a restore that is undone', async () => {
    const again = randomUUID()
    await restore()
    await restore(snapshotId, again)
    await damage(join(dataDir(), 'snapshots', again, 'memory'))
    await restore(again, randomUUID())
    expect(await start(id)).toBe(DAMAGED)
  })

  test('is gone on from where an earlier version made no checksum', async () => {
    const path = join(dataDir(), 'snapshots', snapshotId, 'manifest.json')
    const manifest = JSON.parse(await readFile(path, 'utf8'))
    expect(manifest.memory.sha256).toMatch(/^[0-9a-f]{64}$/)
    delete manifest.memory.sha256
    await writeFile(path, JSON.stringify(manifest))
    await restore()
    expect(await start(id)).toBeNull()
    await expectRunning(id)
  })
})
