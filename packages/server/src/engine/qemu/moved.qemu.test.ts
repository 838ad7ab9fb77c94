import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { BLANK, blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { imageFilesInUse } from './image-use.ts'
import { missing } from './qemu-engine.test-kit.ts'

describe.skipIf(missing !== undefined)('A data directory that was moved', () => {
  /** What is moved is a folder of it. */
  let home: string
  let dataDir: string
  let engine: Engine
  const [snapshotId, safetyId, copyId] = [randomUUID(), randomUUID(), randomUUID()]
  const spec = blankMachine('moved-1')
  const rootOf = () => join(dataDir, 'machines', spec.id, 'root.qcow2')

  async function open(): Promise<void> {
    engine = await blankEngine(dataDir)
    await engine.open()
  }
  async function move(): Promise<void> {
    await engine.close()
    const to = join(home, randomUUID())
    await rename(dataDir, to)
    dataDir = to
    await open()
  }
  const backingOf = async (path: string): Promise<string | undefined> =>
    JSON.parse(await run('qemu-img', ['info', '--output=json', path]))['backing-filename']
  /** Fails unless all files a disk stands on are found. */
  const expectChain = async (path: string) =>
    expect(
      JSON.parse(await run('qemu-img', ['info', '--backing-chain', '--output=json', path])),
    ).toHaveLength(2)

  /** What versions before this one wrote: absolute paths, in disks and in records. */
  async function makeOld(): Promise<void> {
    const image = join(dataDir, 'images', 'files', BLANK)
    const snapshot = join(dataDir, 'snapshots', snapshotId)
    for (const disk of [rootOf(), join(snapshot, 'root.qcow2')])
      await run('qemu-img', ['rebase', '-u', '-f', 'qcow2', '-F', 'qcow2', '-b', image, disk])
    for (const file of [
      join(dataDir, 'machines', spec.id, 'machine.json'),
      join(snapshot, 'manifest.json'),
    ]) {
      const { image: _, ...rest } = JSON.parse(await readFile(file, 'utf8'))
      await writeFile(file, JSON.stringify({ ...rest, image: { disk: image } }))
    }
  }

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-moved-'))
    dataDir = join(home, 'first')
    await open()
    await engine.createMachine(spec)
    await engine.createMachineSnapshot(
      snapshotId,
      { machineId: spec.id, volumeIds: [], memory: false },
      work(),
    )
  })
  afterEach(async () => {
    await engine.deleteMachine(spec.id)
    await engine.close()
    await rm(home, { recursive: true, force: true })
  })

  test('nothing that is kept names a place outside of it', async () => {
    const texts = await Promise.all([
      readFile(join(dataDir, 'machines', spec.id, 'machine.json'), 'utf8'),
      readFile(join(dataDir, 'snapshots', snapshotId, 'manifest.json'), 'utf8'),
    ])
    for (const text of texts) expect(text).not.toContain(home)
    expect(await backingOf(rootOf())).toBe(`../../images/files/${BLANK}`)
    expect(await backingOf(join(dataDir, 'snapshots', snapshotId, 'root.qcow2'))).toBe(
      `../../images/files/${BLANK}`,
    )
  })

  test.each([
    ['', async () => {}],
    [' and was made by an earlier version', makeOld],
  ])('starts its machines, makes disks of its snapshots and restores them%s', async (_, before) => {
    await before()
    await move()
    await expectChain(rootOf())
    expect(await imageFilesInUse(dataDir)).toEqual(new Set([join(dataDir, 'images', 'files', BLANK)]))
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'booting' })
    const source = { from: 'machine-snapshot', snapshotId } as const
    expect(await engine.createVolume(volumeSpec(copyId, source, 0), work())).toMatchObject({
      sizeBytes: 1024 * 1024,
    })
    await engine.prepareRestore(spec.id, { snapshotId, volumeIds: [] }, work())
    await move()
    await engine.powerOff(spec.id)
    await engine.switchDisks(spec.id, safetyId, work())
    await move()
    for (const disk of [rootOf(), join(dataDir, 'snapshots', safetyId, 'root.qcow2')]) await expectChain(disk)
    expect(await engine.inspectSnapshot('machine', safetyId)).toEqual({ state: 'whole' })
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'booting' })
  })
})
