// @module-tag full
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine, ObjectIds } from '../engine.ts'
import { BLANK, blankEngine, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { missing, signalGuest } from './qemu-engine.test-kit.ts'

describe.skipIf(missing !== undefined)('What an engine saves elsewhere', () => {
  let to: string
  const spec = blankMachine('saved-1')
  const { home, dataDir, engine, reopen } = blankEngineForEach([spec])
  beforeEach(async () => {
    to = join(home(), 'second')
    await mkdir(to)
    await engine().createMachine(spec)
  })

  const nothing: ObjectIds = { machines: [], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
  const volumeOf = (id: string, dir = dataDir()) => join(dir, 'volumes', `${id}.qcow2`)
  const rootOf = (dir = dataDir()) => join(dir, 'machines', spec.id, 'root.qcow2')
  const snapshotOf = (id: string, dir = dataDir()) => join(dir, 'volume-snapshots', `${id}.qcow2`)
  const poke = (disk: string, what: string) =>
    run('qemu-io', ['-f', 'qcow2', '-c', `write -P ${what} 0 64k`, disk])
  const same = (a: string, b: string) =>
    run('qemu-img', ['compare', '-U', '-f', 'qcow2', '-F', 'qcow2', a, b])
  async function newVolume(megabytes = 1): Promise<string> {
    const id = randomUUID()
    await engine().createVolume(volumeSpec(id, { from: 'nothing' }, megabytes * 1024 * 1024), work())
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
    await engine().attachVolume(spec.id, attached)
    await poke(rootOf(), '0x22')
    const source = { machineId: spec.id, volumeIds: [attached], memory: false }
    await engine().createMachineSnapshot(snapshotId, source, work())
    await engine().createVolumeSnapshot(parentId, { volumeId: loose, parentId: null }, work())
    await poke(volumeOf(loose), '0x33')
    await engine().createVolumeSnapshot(childId, { volumeId: loose, parentId }, work())

    const ids = {
      machines: [spec.id],
      volumes: [loose, attached],
      machineSnapshots: [snapshotId],
      // Others build upon the parent, which nobody asks for.
      volumeSnapshots: [childId],
    }
    expect(await engine().saveTo(to, ids, work())).toEqual(new Map())

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
    await engine().startMachine(spec.id, { freshRoot: false, volumeIds: [id] })
    await engine().saveTo(to, { ...nothing, machines: [spec.id], volumes: [id] }, work())
    const namesIn = async (dir: string) => (await readdir(join(dir, 'machines', spec.id))).join()
    expect(await namesIn(dataDir())).not.toContain('lent-')
    expect(await namesIn(to)).not.toMatch(/sock|journal|serial\.(in|out)|lent-/)
    const map = await run('qemu-img', ['map', '--output=json', '-f', 'qcow2', volumeOf(id, to)])
    const found = JSON.parse(map) as { data: boolean; offset?: number }[]
    const places = found.filter(({ data }) => data).map(({ offset = 0 }) => offset)
    expect(places.length).toBeGreaterThanOrEqual(100)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('leaves out what is damaged, gone or in a process that hangs, and says so of each', async () => {
    const [good, damaged, held] = [await newVolume(), await newVolume(), await newVolume()]
    const [gone, goneSnapshot, hung] = [randomUUID(), randomUUID(), blankMachine('hung-1')]
    await writeFile(volumeOf(damaged), 'no disk')
    await engine().createMachine(hung)
    await engine().startMachine(hung.id, { freshRoot: false, volumeIds: [held] })
    await signalGuest(hung.id, 'SIGSTOP')
    // Another process takes up what is there, as after a restart of the server; this one hears nothing of the guest.
    await reopen()
    try {
      const machines = [spec.id, gone, hung.id]
      const ids = { ...nothing, machines, volumes: [good, damaged, held], machineSnapshots: [goneSnapshot] }
      const left = await engine().saveTo(to, ids, work())
      expect([...left.keys()].sort()).toEqual([gone, damaged, goneSnapshot, hung.id, held].sort())
      expect(left.get(hung.id)).toContain('does not respond')
      expect(left.get(gone)).toBe('Its files were not there.')
      expect(await readdir(join(to, 'machines'))).toEqual([spec.id])
      expect(await readdir(join(to, 'volumes'))).toEqual([`${good}.qcow2`])
    } finally {
      await signalGuest(hung.id, 'SIGCONT')
      await engine().deleteMachine(hung.id)
    }
  })
})
