// @module-tag full
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Importer } from '../../image/import.ts'
import { run } from '../../lib/command.ts'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { placeNames } from './places.ts'
import { importer, missing } from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024

describe.skipIf(missing !== undefined)('Copies of disks', () => {
  test('keep nobody waiting for downloads of others, however many of those do not end', async () => {
    const dataDir = directoryOfTest()
    const leaving = new AbortController()
    let underWay = 0
    const hanging: Importer['import'] = async (_, __, { signal }) => {
      underWay += 1
      await once(signal, 'abort')
      throw signal.reason
    }
    const engine = await blankEngine(dataDir, { importer: { ...importer, import: hanging } })
    await engine.open()
    const spec = blankMachine('copied-1')
    const slow = { from: 'url', url: 'https://images.example/slow.qcow2' } as const
    const downloads = Array.from({ length: 16 }, () =>
      engine.createVolume(volumeSpec(randomUUID(), slow, MIB), { ...work(), signal: leaving.signal }),
    )
    const ends = Promise.allSettled(downloads)
    onTestFinished(async () => {
      leaving.abort()
      expect((await ends).map(({ status }) => status)).toEqual(downloads.map(() => 'rejected'))
      await engine.deleteMachine(spec.id)
      await engine.close()
    })
    while (underWay < downloads.length) await sleep(5)

    const [volumeId, volumeSnapshotId, snapshotId] = [randomUUID(), randomUUID(), randomUUID()]
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, MIB), work())
    await engine.createVolumeSnapshot(volumeSnapshotId, { volumeId, parentId: null }, work())
    const source = { from: 'volume-snapshot', snapshotId: volumeSnapshotId } as const
    await engine.createVolume(volumeSpec(randomUUID(), source, MIB), work())
    await engine.createMachine(spec)
    const rest = { machineId: spec.id, volumeIds: [], memory: false }
    await engine.createMachineSnapshot(snapshotId, rest, work())
    await engine.prepareRestore(spec.id, { snapshotId, volumeIds: [] }, work())
    await engine.switchDisks(spec.id, randomUUID(), work())
    await engine.deleteVolumeSnapshot(volumeSnapshotId, work())
    expect(await engine.inspectVolume(volumeId)).toMatchObject({ state: 'whole' })
    expect(underWay).toBe(downloads.length)
  })

  // Nobody else may mount.
  test.skipIf(process.getuid?.() !== 0)(
    'of a running guest reach directories that are mounts of their own, and what a crash left lent goes with it',
    async () => {
      const dataDir = directoryOfTest()
      const places = placeNames.map((name) => join(dataDir, name))
      for (const place of places) {
        await mkdir(place)
        await run('mount', ['-t', 'tmpfs', '-o', 'size=1g,mode=700', 'slipway-test', place])
      }
      const engine = await blankEngine(dataDir)
      await engine.open()
      onTestFinished(async () => {
        await engine.close()
        for (const place of places) await run('umount', ['--lazy', place])
      })
      const spec = blankMachine('mounts-1')
      const [first, second] = [randomUUID(), randomUUID()]
      const [snapshotId, volumeSnapshotId] = [randomUUID(), randomUUID()]
      for (const id of [first, second])
        await engine.createVolume(volumeSpec(id, { from: 'nothing' }, MIB), work())
      await engine.createMachine({ ...spec, volumeIds: [first] })
      await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [first] })
      await engine.attachVolume(spec.id, second)
      const volumeIds = [first, second]
      await engine.createMachineSnapshot(snapshotId, { machineId: spec.id, volumeIds, memory: false }, work())
      await engine.createVolumeSnapshot(volumeSnapshotId, { volumeId: second, parentId: null }, work())
      expect(await engine.inspectSnapshot('machine', snapshotId)).toMatchObject({ state: 'whole' })
      expect(await engine.inspectSnapshot('volume', volumeSnapshotId)).toMatchObject({ state: 'whole' })
      await engine.powerOff(spec.id)
      while ((await engine.inspect(spec.id)).power !== 'off') await sleep(5)
      await engine.prepareRestore(spec.id, { snapshotId, volumeIds }, work())
      const safetyId = randomUUID()
      await engine.switchDisks(spec.id, safetyId, work())
      expect(await engine.inspectSnapshot('machine', safetyId)).toMatchObject({ state: 'whole' })
      for (const id of volumeIds) expect(await engine.inspectVolume(id)).toMatchObject({ state: 'whole' })
      const lent = join(dataDir, 'machines', spec.id, 'lent-by-a-server-that-was-killed.qcow2')
      await writeFile(lent, '')
      await run('mount', ['--bind', join(dataDir, 'volumes', `${first}.qcow2`), lent])
      await engine.deleteMachine(spec.id)
      expect(await readdir(join(dataDir, 'machines'))).not.toContain(spec.id)
      expect(await engine.inspectVolume(first)).toMatchObject({ state: 'whole' })
    },
  )
})
