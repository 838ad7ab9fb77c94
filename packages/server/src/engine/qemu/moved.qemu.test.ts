// @module-tag full
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { BLANK, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { imageFilesInUse } from './image-use.ts'
import { missing } from './qemu-engine.test-kit.ts'

describe.skipIf(missing !== undefined)('A data directory that was moved', () => {
  const [snapshotId, safetyId, copyId] = [randomUUID(), randomUUID(), randomUUID()]
  const spec = blankMachine('moved-1')
  const { home, dataDir, engine, moveTo } = blankEngineForEach([spec])
  const move = () => moveTo(randomUUID())
  const rootOf = () => join(dataDir(), 'machines', spec.id, 'root.qcow2')

  const backingOf = async (path: string): Promise<string | undefined> =>
    JSON.parse(await run('qemu-img', ['info', '--output=json', path]))['backing-filename']
  /** Fails unless all files a disk stands on are found. */
  const expectChain = async (path: string) =>
    expect(
      JSON.parse(await run('qemu-img', ['info', '--backing-chain', '--output=json', path])),
    ).toHaveLength(2)

  beforeEach(async () => {
    await engine().createMachine(spec)
    const source = { machineId: spec.id, volumeIds: [], memory: false }
    await engine().createMachineSnapshot(snapshotId, source, work())
  })

  test('nothing that is kept names a place outside of it', async () => {
    const texts = await Promise.all([
      readFile(join(dataDir(), 'machines', spec.id, 'machine.json'), 'utf8'),
      readFile(join(dataDir(), 'snapshots', snapshotId, 'manifest.json'), 'utf8'),
    ])
    for (const text of texts) expect(text).not.toContain(home())
    expect(await backingOf(rootOf())).toBe(`../../images/files/${BLANK}`)
    expect(await backingOf(join(dataDir(), 'snapshots', snapshotId, 'root.qcow2'))).toBe(
      `../../images/files/${BLANK}`,
    )
  })

  test('starts its machines, makes disks of its snapshots and restores them', async () => {
    await move()
    await expectChain(rootOf())
    expect(await imageFilesInUse(dataDir())).toEqual(new Set([join(dataDir(), 'images', 'files', BLANK)]))
    await engine().startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    expect(await engine().inspect(spec.id)).toMatchObject({ power: 'booting' })
    const source = { from: 'machine-snapshot', snapshotId } as const
    expect(await engine().createVolume(volumeSpec(copyId, source, 0), work())).toMatchObject({
      sizeBytes: 1024 * 1024,
    })
    await engine().prepareRestore(spec.id, { snapshotId, volumeIds: [] }, work())
    await move()
    await engine().powerOff(spec.id)
    await engine().switchDisks(spec.id, safetyId, work())
    await move()
    for (const disk of [rootOf(), join(dataDir(), 'snapshots', safetyId, 'root.qcow2')])
      await expectChain(disk)
    expect(await engine().inspectSnapshot('machine', safetyId)).toEqual({ state: 'whole' })
    await engine().startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    expect(await engine().inspect(spec.id)).toMatchObject({ power: 'booting' })
  })
})
