import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Importer } from '../../image/import.ts'
import { work } from '../engine.test-kit.ts'
import { blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { importer, missing } from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024

describe.skipIf(missing !== undefined)('Copies of disks', () => {
  test('keep nobody waiting for downloads of others, however many of those do not end', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'slipway-copies-'))
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
    const downloads = Array.from({ length: 16 }, () =>
      engine.createVolume(randomUUID(), { from: 'url', url: 'https://images.example/slow.qcow2' }, MIB, {
        ...work(),
        signal: leaving.signal,
      }),
    )
    const ends = Promise.allSettled(downloads)
    onTestFinished(async () => {
      leaving.abort()
      expect((await ends).map(({ status }) => status)).toEqual(downloads.map(() => 'rejected'))
      await engine.deleteMachine(spec.id)
      await engine.close()
      await rm(dataDir, { recursive: true, force: true })
    })
    while (underWay < downloads.length) await sleep(5)

    const [volumeId, volumeSnapshotId, snapshotId] = [randomUUID(), randomUUID(), randomUUID()]
    await engine.createVolume(volumeId, { from: 'nothing' }, MIB, work())
    await engine.createVolumeSnapshot(volumeSnapshotId, { volumeId, parentId: null }, work())
    await engine.createVolume(
      randomUUID(),
      { from: 'volume-snapshot', snapshotId: volumeSnapshotId },
      MIB,
      work(),
    )
    await engine.createMachine(spec)
    await engine.createMachineSnapshot(
      snapshotId,
      { machineId: spec.id, volumeIds: [], memory: false },
      work(),
    )
    await engine.prepareRestore(spec.id, { snapshotId, volumeIds: [] }, work())
    await engine.switchDisks(spec.id, randomUUID())
    await engine.deleteVolumeSnapshot(volumeSnapshotId, work())
    expect(await engine.inspectVolume(volumeId)).toMatchObject({ state: 'whole' })
    expect(underWay).toBe(downloads.length)
  }, 60_000)
})
