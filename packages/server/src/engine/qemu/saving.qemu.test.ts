import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine, ObjectIds } from '../engine.ts'
import { BLANK, blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { missing, processesOf } from './qemu-engine.test-kit.ts'

describe.skipIf(missing !== undefined)('What an engine saves elsewhere', () => {
  let home: string
  let dataDir: string
  let to: string
  let engine: Engine
  const spec = blankMachine('saved-1')

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-saved-'))
    dataDir = join(home, 'first')
    to = join(home, 'second')
    await mkdir(to)
    await mkdir(dataDir)
    engine = await blankEngine(dataDir)
    await engine.open()
    await engine.createMachine(spec)
  })
  afterEach(async () => {
    await engine.deleteMachine(spec.id)
    await engine.close()
    await rm(home, { recursive: true, force: true })
  })

  const nothing: ObjectIds = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
  const volumeOf = (id: string, dir = dataDir) => join(dir, 'volumes', `${id}.qcow2`)
  const rootOf = (dir = dataDir) => join(dir, 'machines', spec.id, 'root.qcow2')
  const snapshotOf = (id: string, dir = dataDir) => join(dir, 'volume-snapshots', `${id}.qcow2`)
  const poke = (disk: string, what: string) =>
    run('qemu-io', ['-f', 'qcow2', '-c', `write -P ${what} 0 64k`, disk])
  const same = (a: string, b: string) =>
    run('qemu-img', ['compare', '-U', '-f', 'qcow2', '-F', 'qcow2', a, b])
  async function newVolume(megabytes = 1): Promise<string> {
    const id = randomUUID()
    await engine.createVolume(volumeSpec(id, { from: 'nothing' }, megabytes * 1024 * 1024), work())
    await poke(volumeOf(id), '0x11')
    return id
  }
  async function opened<T>(look: (engine: Engine) => Promise<T>): Promise<T> {
    const other = await blankEngine(to)
    await other.open()
    return look(other).finally(() => other.close())
  }

  test('is whole elsewhere: machines and disks at rest, snapshots with all they build upon, images', async () => {
    const [loose, attached] = [await newVolume(), await newVolume()]
    const [snapshotId, parentId, childId] = [randomUUID(), randomUUID(), randomUUID()]
    await engine.attachVolume(spec.id, attached)
    await poke(rootOf(), '0x22')
    await engine.createMachineSnapshot(
      snapshotId,
      { machineId: spec.id, volumeIds: [attached], memory: false },
      work(),
    )
    await engine.createVolumeSnapshot(parentId, { volumeId: loose, parentId: null }, work())
    await poke(volumeOf(loose), '0x33')
    await engine.createVolumeSnapshot(childId, { volumeId: loose, parentId }, work())

    const ids = {
      machines: [spec.id],
      volumes: [loose, attached],
      machineSnapshots: [snapshotId],
      // Others build upon the parent, which nobody asks for.
      volumeSnapshots: [childId],
    }
    expect(await engine.saveTo(to, ids, work())).toEqual(new Map())

    for (const id of [loose, attached]) await same(volumeOf(id), volumeOf(id, to))
    await same(rootOf(), rootOf(to))
    await same(snapshotOf(childId), snapshotOf(childId, to))
    await opened(async (other) => {
      expect(await other.inspect(spec.id)).toMatchObject({ power: 'off' })
      expect(await other.inspectSnapshot('machine', snapshotId)).toEqual({ state: 'whole' })
      expect(await other.inspectSnapshot('volume', childId)).toEqual({ state: 'whole' })
      for (const id of [loose, attached])
        expect(await other.inspectVolume(id)).toEqual({ state: 'whole', sizeBytes: 1024 * 1024 })
    })
    expect(await readdir(join(to, 'images', 'files'))).toEqual([BLANK])
  })

  test('has the disks of a living guest lie in their files in order, so that little of the next one is new', async () => {
    const id = await newVolume(200)
    // Every other megabyte, as a disk that is used lies: each piece is a copy of its own.
    const pieces = Array.from({ length: 100 }, (_, at) => ['-c', `write -P 0x44 ${at * 2}M 1M`]).flat()
    await run('qemu-io', ['-f', 'qcow2', ...pieces, volumeOf(id)])
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [id] })
    await engine.saveTo(to, { ...nothing, machines: [spec.id], volumes: [id] }, work())
    const map = await run('qemu-img', ['map', '--output=json', '-f', 'qcow2', volumeOf(id, to)])
    const found = JSON.parse(map) as { data: boolean; offset?: number }[]
    const places = found.filter(({ data }) => data).map(({ offset = 0 }) => offset)
    expect(places.length).toBeGreaterThanOrEqual(100)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('holds the disks of a living guest, which lives on, as those of a host that went down', async () => {
    const id = await newVolume()
    await poke(rootOf(), '0x22')
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [id] })
    const before = await processesOf(spec.id)
    const ids = { ...nothing, machines: [spec.id], volumes: [id] }
    expect(await engine.saveTo(to, ids, work())).toEqual(new Map())

    expect(await processesOf(spec.id)).toEqual(before)
    const names = await readdir(join(dataDir, 'machines', spec.id))
    expect(names.filter((name) => name.startsWith('lent-'))).toEqual([])
    await same(volumeOf(id), volumeOf(id, to))
    await same(rootOf(), rootOf(to))
    const saved = await readdir(join(to, 'machines', spec.id))
    expect(saved.filter((name) => /sock|^pid|journal|serial\.(in|out)|lent-/.test(name))).toEqual([])
    await opened(async (other) => {
      expect(await other.inspect(spec.id)).toMatchObject({ power: 'off', exit: { how: 'host-restart' } })
    })
  })

  test('leaves out what is damaged, gone or in a process that hangs, and says so of each', async () => {
    const [good, damaged, held] = [await newVolume(), await newVolume(), await newVolume()]
    const [gone, goneSnapshot, hung] = [randomUUID(), randomUUID(), blankMachine('hung-1')]
    await writeFile(volumeOf(damaged), 'no disk')
    await engine.createMachine(hung)
    await engine.startMachine(hung.id, { freshRoot: false, volumeIds: [held] })
    const [pid] = await processesOf(hung.id)
    process.kill(Number(pid), 'SIGSTOP')
    // Another process takes up what is there, as after a restart of the server; this one hears nothing of the guest.
    await engine.close()
    engine = await blankEngine(dataDir)
    await engine.open()
    try {
      const left = await engine.saveTo(
        to,
        {
          machines: [spec.id, gone, hung.id],
          volumes: [good, damaged, held],
          machineSnapshots: [goneSnapshot],
          volumeSnapshots: [],
        },
        work(),
      )
      expect([...left.keys()].sort()).toEqual([gone, damaged, goneSnapshot, hung.id, held].sort())
      expect(left.get(hung.id)).toContain('does not respond')
      expect(left.get(gone)).toBe('Its files were not there.')
      expect(await readdir(join(to, 'machines'))).toEqual([spec.id])
      expect(await readdir(join(to, 'volumes'))).toEqual([`${good}.qcow2`])
    } finally {
      process.kill(Number(pid), 'SIGCONT')
      await engine.deleteMachine(hung.id)
    }
  })

  test('names no place of the first directory', async () => {
    await engine.saveTo(to, { ...nothing, machines: [spec.id] }, work())
    expect(await readFile(join(to, 'machines', spec.id, 'machine.json'), 'utf8')).not.toContain(home)
    const info = JSON.parse(await run('qemu-img', ['info', '--output=json', rootOf(to)]))
    expect(info['backing-filename']).toBe(`../../images/files/${BLANK}`)
  })
})
