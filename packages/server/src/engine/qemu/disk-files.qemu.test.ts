import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeImporter } from '../../image/import.ts'
import { run } from '../../lib/command.ts'
import { directoryForAll } from '../../lib/directory.test-kit.ts'
import { silentLog } from '../../lib/log.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { DiskFile, Engine } from '../engine.ts'
import { missing, testEngine } from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024

if (missing) console.log(`SKIPPED: ${missing}, so disks as files were not tested on QEMU`)

describe.skipIf(missing !== undefined)('disks as files', () => {
  const dataDir = directoryForAll()
  let engine: Engine
  let file: string
  const bytes = randomBytes(3 * MIB)
  const sha256 = createHash('sha256').update(bytes).digest('hex')

  beforeAll(async () => {
    file = join(dataDir(), 'file')
    await writeFile(file, bytes)
    const gibibyte = 1024 ** 3
    const importer = makeImporter({
      scratchDir: join(dataDir(), 'imports'),
      policy: { maxImageBytes: gibibyte, maxVirtualBytes: gibibyte, privateSources: [] },
      log: silentLog,
    })
    engine = await testEngine(dataDir(), { importer })
    await engine.open()
  })
  afterAll(() => engine?.close())

  const make = (id: string, path: string, wanted: string | null = null) =>
    engine.createVolume(volumeSpec(id, { from: 'file', path, sha256: wanted }, MIB), work())
  const volumePath = (id: string) => join(dataDir(), 'volumes', `${id}.qcow2`)

  /** What is sent, in a file. */
  async function save(opened: DiskFile): Promise<string> {
    const path = join(dataDir(), `saved-${randomUUID()}`)
    const pieces: Buffer[] = []
    for await (const piece of opened.read(0, opened.bytes)) pieces.push(piece)
    await writeFile(path, Buffer.concat(pieces))
    await opened.close()
    return path
  }
  const compare = (format: string, one: string, other: string) =>
    run('qemu-img', ['compare', '-f', format, '-F', 'qcow2', one, other])
  const infoOf = async (path: string) =>
    JSON.parse(await run('qemu-img', ['info', '--output=json', path])) as Record<string, unknown>

  test('a file becomes a volume and comes back the same, and stays where it is', async () => {
    const id = randomUUID()
    expect(await make(id, file, sha256)).toEqual({ sizeBytes: 3 * MIB, sha256 })
    await compare('raw', file, volumePath(id))
    const opened = await engine.openDiskFile({ volumeId: id }, work())
    expect(opened.tag).not.toBeNull()
    await compare('raw', file, await save(opened))
    expect(await readdir(join(dataDir(), 'imports'))).toEqual([])
    await engine.deleteVolume(id)
  })

  test('a file of another checksum, or one that builds upon another, is refused and leaves nothing', async () => {
    const id = randomUUID()
    await expect(make(id, file, 'ab'.repeat(32))).rejects.toMatchObject({
      code: 'source-refused',
      message: expect.stringContaining(sha256) as string,
    })
    const upon = join(dataDir(), 'upon')
    await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', file, '-F', 'raw', upon])
    await expect(make(id, upon)).rejects.toMatchObject({ code: 'source-refused', retryable: false })
    expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
    expect(await readdir(join(dataDir(), 'imports'))).toEqual([])
  })

  test('an incremental snapshot is sent whole, and names no other file; nothing is left of it', async () => {
    const [id, base, child] = [randomUUID(), randomUUID(), randomUUID()]
    await make(id, file)
    await engine.createVolumeSnapshot(base, { volumeId: id, parentId: null }, work())
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 7 1M 64k', volumePath(id)])
    const { parentId } = await engine.createVolumeSnapshot(child, { volumeId: id, parentId: base }, work())
    expect(parentId).toBe(base)
    const opened = await engine.openDiskFile({ snapshotId: child }, work())
    expect(opened.tag).toBeNull()
    const saved = await save(opened)
    expect((await infoOf(saved))['backing-filename']).toBeUndefined()
    await compare('qcow2', volumePath(id), saved)
    expect(
      (await readdir(join(dataDir(), 'volume-snapshots'))).filter((name) => name.endsWith('.new')),
    ).toEqual([])
    await engine.deleteVolumeSnapshot(child, work())
    await engine.deleteVolumeSnapshot(base, work())
    await engine.deleteVolume(id)
  })

  test('a disk that is written to meanwhile is never sent whole', async () => {
    const id = randomUUID()
    await make(id, file)
    const opened = await engine.openDiskFile({ volumeId: id }, work())
    const reading = opened.read(0, opened.bytes)[Symbol.asyncIterator]()
    await reading.next()
    await run('qemu-io', ['-f', 'qcow2', '-c', 'write -P 9 0 64k', volumePath(id)])
    const rest = async () => {
      while (!(await reading.next()).done);
    }
    await expect(rest()).rejects.toMatchObject({ message: 'The disk was changed while it was read.' })
    await opened.close()
    await engine.deleteVolume(id)
  })
})
