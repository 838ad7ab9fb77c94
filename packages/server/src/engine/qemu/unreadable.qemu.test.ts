import { randomUUID } from 'node:crypto'
import {
  access,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { BLANK, blankEngine, blankImages, blankMachine } from './blank-images.test-kit.ts'
import { imageFilesInUse } from './image-use.ts'
import { placeNames } from './places.ts'
import { missing } from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024

/** A server of few descriptors: opens the engine, and prints how many machines it has. */
const openWithFew = `
  const { blankEngine } = await import('./blank-images.test-kit.ts')
  const [dataDir] = process.argv.slice(1)
  const engine = await blankEngine(dataDir)
  await engine.open()
  const states = [...(await engine.list()).values()].map(({ power }) => power)
  await engine.close()
  process.stdout.write(JSON.stringify(states))
`

/** Ways in which a file of ours can be there and not be read. */
const damages: [string, (path: string) => Promise<unknown>][] = [
  ['is torn', (path) => writeFile(path, '{"spec": {"id": "')],
  ['is empty', (path) => writeFile(path, '')],
  ['has a foreign shape', (path) => writeFile(path, '{"name":"somebody else"}')],
  [
    'cannot be read',
    async (path) => {
      // As root every file may be read; one that leads to itself is refused to everybody.
      await rm(path)
      await symlink(path, path)
    },
  ],
]

describe.skipIf(missing !== undefined)('What QEMU keeps on the disk and cannot be read', () => {
  let dataDir: string
  let engine: Engine
  const spec = blankMachine('unreadable-1')
  const fileOf = (name: string) => join(dataDir, 'machines', spec.id, name)
  const there = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    )

  async function open(): Promise<void> {
    engine = await blankEngine(dataDir)
    await engine.open()
  }
  async function reopen(): Promise<void> {
    await engine.close()
    await open()
  }

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-unreadable-'))
    await open()
  })
  afterEach(async () => {
    await engine.deleteMachine(spec.id)
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test.each(damages)(
    'a machine whose record %s keeps its root disk, and is back when it can be read',
    async (_, damage) => {
      await engine.createMachine(spec)
      const whole = await readFile(fileOf('machine.json'), 'utf8')
      await damage(fileOf('machine.json'))
      await reopen()
      expect(await there(fileOf('root.qcow2'))).toBe(true)
      expect(await engine.inspect(spec.id)).toMatchObject({ power: 'unreadable' })
      expect((await engine.list()).get(spec.id)).toMatchObject({ power: 'unreadable' })
      await expect(engine.createMachine(spec)).rejects.toMatchObject({ code: 'internal', retryable: true })
      await expect(engine.startMachine(spec.id, { freshRoot: true, volumeIds: [] })).rejects.toThrow('read')
      await rm(fileOf('machine.json'))
      await writeFile(fileOf('machine.json'), whole)
      expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
    },
  )

  test('an unreadable machine is deleted when that is asked for', async () => {
    await engine.createMachine(spec)
    await writeFile(fileOf('machine.json'), '')
    await engine.deleteMachine(spec.id)
    expect(await engine.inspect(spec.id)).toEqual({ power: 'absent' })
    expect(await there(fileOf(''))).toBe(false)
  })

  test('600 machines are still there when a server with 256 descriptors was started on them', async () => {
    await engine.createMachine(spec)
    const [record, root] = await Promise.all([
      readFile(fileOf('machine.json'), 'utf8'),
      readFile(fileOf('root.qcow2')),
    ])
    for (let made = 1; made < 600; made += 1) {
      const id = randomUUID()
      const dir = join(dataDir, 'machines', id)
      await mkdir(dir)
      await writeFile(join(dir, 'machine.json'), record.replaceAll(spec.id, id))
      await writeFile(join(dir, 'root.qcow2'), root)
    }
    const limited = ['--nofile=256:256', process.execPath, '--input-type=module', '-e', openWithFew, dataDir]
    const states = JSON.parse(await run('prlimit', limited, { cwd: import.meta.dirname }))
    const left = (await readdir(join(dataDir, 'machines'))).filter((name) => /^[0-9a-f-]{36}$/.test(name))
    expect(left).toHaveLength(600)
    expect(states).toEqual(Array.from({ length: 600 }, () => 'off'))
  })

  test.each(damages)(
    'a VM snapshot whose manifest %s is kept, and whole when it can be read',
    async (_, damage) => {
      const id = randomUUID()
      await engine.createMachine(spec)
      await engine.createMachineSnapshot(id, { machineId: spec.id, volumeIds: [], memory: false }, work())
      const manifest = join(dataDir, 'snapshots', id, 'manifest.json')
      const whole = await readFile(manifest, 'utf8')
      await damage(manifest)
      await reopen()
      expect(await there(join(dataDir, 'snapshots', id, 'root.qcow2'))).toBe(true)
      expect(await engine.inspectSnapshot('machine', id)).toMatchObject({ state: 'unreadable' })
      expect(await engine.listSnapshots('machine')).toEqual([id])
      await rm(manifest)
      await writeFile(manifest, whole)
      expect(await engine.inspectSnapshot('machine', id)).toEqual({ state: 'whole' })
    },
  )

  test.each(damages)(
    'a disk snapshot whose manifest %s is kept, and whole when it can be read',
    async (_, damage) => {
      const [volumeId, id] = [randomUUID(), randomUUID()]
      await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, MIB), work())
      await engine.createVolumeSnapshot(id, { volumeId, parentId: null }, work())
      const manifest = join(dataDir, 'volume-snapshots', `${id}.json`)
      const whole = await readFile(manifest, 'utf8')
      await damage(manifest)
      await reopen()
      expect(await there(join(dataDir, 'volume-snapshots', `${id}.qcow2`))).toBe(true)
      expect(await engine.inspectSnapshot('volume', id)).toMatchObject({ state: 'unreadable' })
      expect(await engine.listSnapshots('volume')).toEqual([id])
      await rm(manifest)
      await writeFile(manifest, whole)
      expect(await engine.inspectSnapshot('volume', id)).toEqual({ state: 'whole' })
    },
  )

  test.each(['', '{"first": 0', '{"first":0}', '[]'])(
    'a server starts when an index of console output is %j',
    async (text) => {
      await engine.createMachine(spec)
      await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
      await engine.powerOff(spec.id)
      await writeFile(fileOf('console.json'), text)
      await reopen()
      expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
      const terminal = await engine.openConsole(spec.id)
      expect(terminal?.extent().first).toBe(0)
      terminal?.close()
    },
  )

  test.each(['swap.json', join('restore', 'prepared.json'), 'run.json'])(
    'a server starts when %s of a machine is torn, and removes nothing',
    async (name) => {
      await engine.createMachine(spec)
      const safetyId = randomUUID()
      const safety = join(dataDir, 'snapshots', safetyId)
      await mkdir(fileOf('restore'))
      await mkdir(safety)
      // What an interrupted restore put aside.
      await writeFile(join(safety, 'root.qcow2'), 'a disk')
      await writeFile(fileOf(name), '{"safetyId":')
      await reopen()
      if (name === 'swap.json') expect(await there(join(safety, 'root.qcow2'))).toBe(true)
      expect(await there(fileOf(name))).toBe(true)
      expect(await there(fileOf('root.qcow2'))).toBe(true)
      expect(await engine.inspect(spec.id)).toMatchObject({
        power: name === 'run.json' ? 'unreadable' : 'off',
      })
    },
  )

  test('a deleted machine whose restore cannot be completed is moved aside, with what the restore replaced', async () => {
    await engine.createMachine(spec)
    const safetyId = randomUUID()
    const safety = join(dataDir, 'snapshots', safetyId)
    await mkdir(safety)
    await writeFile(join(safety, 'filled-by-restore'), '{}')
    await writeFile(join(safety, 'root.qcow2'), 'a disk')
    await writeFile(fileOf('swap.json'), '{"safetyId":')
    await engine.deleteMachine(spec.id)
    expect(await engine.inspect(spec.id)).toEqual({ power: 'absent' })
    await reopen()
    const kept = await readdir(join(dataDir, 'orphans'), { recursive: true })
    expect(kept.filter((name) => name.includes(spec.id) && name.endsWith('root.qcow2'))).toHaveLength(1)
    expect(kept.filter((name) => name.includes(safetyId) && name.endsWith('root.qcow2'))).toHaveLength(1)
  })

  test('a machine that ran and whose record is lost is moved aside, before another takes its place', async () => {
    await engine.createMachine(spec)
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    await engine.powerOff(spec.id)
    const before = await readFile(fileOf('root.qcow2'))
    await rm(fileOf('machine.json'))
    expect(await engine.inspect(spec.id)).toEqual({ power: 'absent' })
    await engine.createMachine(spec)
    const [moved] = await readdir(join(dataDir, 'orphans'))
    expect(moved).toMatch(new RegExp(`^machines-${spec.id}-\\d{4}-`))
    expect((await readFile(join(dataDir, 'orphans', `${moved}`, 'root.qcow2'))).equals(before)).toBe(true)
    await rm(fileOf('machine.json'))
    await writeFile(fileOf('run.json'), '{}')
    await reopen()
    expect(await readdir(join(dataDir, 'orphans'))).toHaveLength(1)
    await rm(fileOf('run.json'))
    await writeFile(fileOf('console.json'), '{}')
    await reopen()
    expect(await readdir(join(dataDir, 'orphans'))).toHaveLength(2)
  })

  test('a deletion that was interrupted is completed, and one of a machine that never ran leaves nothing', async () => {
    await engine.createMachine(spec)
    await rename(fileOf('machine.json'), fileOf('deleted'))
    await writeFile(fileOf('console.json'), '{}')
    const neverRan = join(dataDir, 'machines', randomUUID())
    await mkdir(neverRan)
    await writeFile(join(neverRan, 'root.qcow2'), 'half of it')
    await reopen()
    expect(await there(fileOf('root.qcow2'))).toBe(false)
    expect(await there(neverRan)).toBe(false)
    expect(await there(join(dataDir, 'orphans'))).toBe(false)
  })

  test('a machine that is not running does not start in the middle of a restore', async () => {
    await engine.createMachine(spec)
    await writeFile(fileOf('swap.json'), '')
    await expect(engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })).rejects.toThrow('damaged')
  })

  test('a restore that was certainly left half-made is cleared, also while the guest runs', async () => {
    await engine.createMachine(spec)
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    await mkdir(fileOf('restore'))
    await writeFile(join(fileOf('restore'), 'root.qcow2'), 'half of it')
    await reopen()
    expect(await there(fileOf('restore'))).toBe(false)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'booting' })
  })

  test('images stay as long as a machine cannot be read', async () => {
    await engine.createMachine(spec)
    expect(await imageFilesInUse(dataDir)).toEqual(new Set([join(dataDir, 'images', 'files', BLANK)]))
    await writeFile(fileOf('machine.json'), '')
    await expect(imageFilesInUse(dataDir)).rejects.toThrow('cannot be read')
  })

  test('machines that were not mounted at the start are taken up when they are', async () => {
    await engine.createMachine(spec)
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    const [machines, elsewhere] = [join(dataDir, 'machines'), join(dataDir, 'elsewhere')]
    await engine.close()
    await rename(machines, elsewhere)
    await mkdir(machines)
    await open()
    await expect(engine.list()).rejects.toThrow('Is it mounted?')
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'unreadable' })
    await expect(engine.deleteMachine(spec.id)).rejects.toThrow('Is it mounted?')
    await rm(machines, { recursive: true })
    await rename(elsewhere, machines)
    expect((await engine.list()).get(spec.id)).toMatchObject({ power: 'booting' })
    expect([...(await engine.usage('processors')).keys()]).toEqual([spec.id])
  })

  test('an installation whose own file is damaged removes nothing and makes nothing', async () => {
    await engine.createMachine(spec)
    const file = join(dataDir, 'installation.json')
    const whole = await readFile(file, 'utf8')
    await writeFile(file, '')
    await reopen()
    expect(await there(fileOf('root.qcow2'))).toBe(true)
    await expect(engine.list()).rejects.toThrow('damaged')
    await writeFile(file, whole)
    expect((await engine.list()).get(spec.id)).toMatchObject({ power: 'off' })
  })

  test('an earlier installation gets its markers at its first start', async () => {
    await engine.createMachine(spec)
    await rm(join(dataDir, 'installation.json'))
    for (const name of placeNames) await rm(join(dataDir, name, '.slipway'))
    await reopen()
    for (const name of placeNames) expect(await there(join(dataDir, name, '.slipway'))).toBe(true)
    expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
  })

  test('disks in a directory that is not mounted are unreadable, and whole again once it is', async () => {
    const volumeId = randomUUID()
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, MIB), work())
    const [volumes, elsewhere] = [join(dataDir, 'volumes'), join(dataDir, 'elsewhere')]
    await engine.close()
    await rename(volumes, elsewhere)
    await mkdir(volumes)
    await open()
    const unmounted = 'The directory volumes/ is not the one Slipway used before. Is it mounted?'
    expect(await engine.inspectVolume(volumeId)).toEqual({ state: 'unreadable', reason: unmounted })
    await expect(engine.listVolumes()).rejects.toThrow(unmounted)
    await expect(
      engine.createVolume(volumeSpec(randomUUID(), { from: 'nothing' }, MIB), work()),
    ).rejects.toThrow(unmounted)
    await expect(engine.deleteVolume(volumeId)).rejects.toThrow(unmounted)
    expect(await readdir(volumes)).toEqual([])
    await rm(volumes, { recursive: true })
    expect(await engine.inspectVolume(volumeId)).toEqual({ state: 'unreadable', reason: unmounted })
    await rename(elsewhere, volumes)
    expect(await engine.inspectVolume(volumeId)).toMatchObject({ state: 'whole' })
    expect(await engine.listVolumes()).toEqual([volumeId])
  })

  test('what a guest prints can be read by the server alone', async () => {
    await engine.createMachine(spec)
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    expect(((await stat(fileOf('serial.log'))).mode & 0o777).toString(8)).toBe('600')
  })

  test.skipIf(process.getuid?.() !== 0)(
    'a disk that fills up while something is made leaves nothing that looks whole',
    async () => {
      await engine.close()
      await run('mount', ['-t', 'tmpfs', '-o', 'size=320m', 'tmpfs', dataDir])
      try {
        const images = await blankImages(dataDir)
        // Room is asked for first; then somebody else takes it.
        const use = async () => {
          const { bavail, bsize } = await statfs(dataDir)
          await writeFile(join(dataDir, 'ballast'), Buffer.alloc(bavail * bsize - 64 * 1024))
          return images.use('blank')
        }
        engine = await blankEngine(dataDir, { images: { use } })
        await engine.open()
        await expect(engine.createMachine(spec)).rejects.toMatchObject({ code: 'no-space' })
        expect(await engine.inspect(spec.id)).toEqual({ power: 'absent' })
        await reopen()
        expect(await readdir(join(dataDir, 'machines'))).toEqual(['.slipway'])
        await rm(join(dataDir, 'ballast'))
        await engine.createMachine(spec)
        expect(await engine.inspect(spec.id)).toMatchObject({ power: 'off' })
        await engine.close()
      } finally {
        await run('umount', ['-l', dataDir])
        await open()
      }
    },
  )
})
