import { randomUUID } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { directoryOfTest } from '../../lib/directory.test-kit.ts'
import { makePlaces } from './places.ts'
import { makeVolumeSnapshots } from './volume-snapshots.ts'

/** The beginning of a qcow2 file, and nothing else of one: whoever reads more than that finds it damaged. */
function header(backing: string): Buffer {
  const bytes = Buffer.alloc(128)
  bytes.write('QFI\xfb', 'latin1')
  bytes.writeBigUInt64BE(104n, 8)
  bytes.writeUInt32BE(backing.length, 16)
  bytes.writeBigUInt64BE(1024n ** 2n, 24)
  return Buffer.concat([bytes.subarray(0, 104), Buffer.from(backing)])
}

test('a look at a snapshot reads its own header and manifest, whatever it builds upon', async () => {
  const dataDir = directoryOfTest()
  const places = makePlaces(dataDir)
  await places.open()
  const snapshots = makeVolumeSnapshots(dataDir, places)
  const id = randomUUID()
  await writeFile(snapshots.pathOf(id), header(`${randomUUID()}.qcow2`))
  const manifest = { volumeId: randomUUID(), consistency: 'clean', deleting: false }
  await writeFile(join(snapshots.dir, `${id}.json`), JSON.stringify(manifest))
  expect(await snapshots.inspect(id)).toEqual({ state: 'whole' })
  await writeFile(snapshots.pathOf(id), 'something else, and long enough to be read')
  expect(await snapshots.inspect(id)).toEqual({ state: 'broken', reason: 'Its file is damaged.' })
  await rm(snapshots.pathOf(id))
  expect(await snapshots.inspect(id)).toEqual({ state: 'broken', reason: 'Its file is missing.' })
})
