// @module-tag full
/** A disk that gets full at each write of each operation, with a real guest: what ends or deletes needs no room. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { fillAt, makeRoom, wasFull } from '../../lib/full-disk.test-kit.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'

const disk = vi.hoisted(() => ({ writes: 0, fullFrom: Number.POSITIVE_INFINITY, within: '' }))
// Files before this one may have loaded what is to write to that disk.
vi.hoisted(() => vi.resetModules())
afterAll(() => void vi.resetModules())
vi.mock('node:fs/promises', async (original) => {
  const { onDisk } = await import('../../lib/full-disk.test-kit.ts')
  return onDisk(await original<typeof import('node:fs/promises')>(), disk)
})
const { makeKey, missing, pathsIn, processesOf, starterMachine, testEngine, untilIs } = await import(
  './qemu-engine.test-kit.ts'
)
if (missing) console.log(`SKIPPED: ${missing}, so a full disk was not tested with guests`)

describe.skipIf(missing !== undefined)('While the disk of the host is full', () => {
  let dataDir: string
  let engine: Engine
  let key: string
  const made: string[] = []

  const start = (id: string, volumeIds: string[] = []) =>
    engine.startMachine(id, { freshRoot: false, volumeIds })
  async function newMachine(): Promise<string> {
    const spec = starterMachine('full-1', { sshPublicKeys: [key] })
    made.push(spec.id)
    await engine.createMachine(spec)
    return spec.id
  }
  async function running(): Promise<string> {
    const id = await newMachine()
    await start(id)
    return id
  }
  const until = (id: string, power: 'ready' | 'off') => untilIs(engine, id, power)
  /** Everything that is kept, but for what describes the host. */
  const kept = async () => (await pathsIn(dataDir)).filter((name) => /\.new$|^snapshots\/[^.]/.test(name))

  /**
   * Does something again and again, with the disk getting full at its first write, at its second and so on, until it gets
   * through without one. After each time `check` looks, with room again. Returns how many writes it takes.
   */
  async function atEachWrite(
    act: () => Promise<unknown>,
    check: (failure: unknown) => Promise<void>,
  ): Promise<number> {
    for (let n = 1; ; n++) {
      fillAt(disk, n)
      const failure = await act().then(
        () => null,
        (error: unknown) => error,
      )
      const met = wasFull(disk)
      makeRoom(disk)
      if (failure !== null) expect(failure).toMatchObject({ code: 'no-space', retryable: true })
      await check(failure)
      if (!met) return n - 1
    }
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-no-room-'))
    disk.within = dataDir
    key = (await makeKey(join(dataDir, 'key'))).publicKey
    engine = await testEngine(dataDir)
    await engine.open()
  })
  afterEach(() => makeRoom(disk))
  afterAll(async () => {
    for (const id of made) await engine.deleteMachine(id)
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('a guest is ended by force, and that it was asked for is known', async () => {
    const id = await running()
    fillAt(disk, 1)
    await engine.powerOff(id)
    expect(await engine.inspect(id)).toMatchObject({ power: 'off', exit: { how: 'asked' } })
    expect(await processesOf(id)).toEqual([])
  })

  test('a guest is asked to shut down, and does', async () => {
    const id = await running()
    await until(id, 'ready')
    fillAt(disk, 1)
    await engine.powerDown(id)
    expect(await until(id, 'off')).toMatchObject({ exit: { how: 'asked' } })
  })

  test('a guest that gets up counts as ready', async () => {
    const id = await running()
    fillAt(disk, 1)
    await until(id, 'ready')
  })

  test('a VM is deleted with its guest, and nothing is left of it', async () => {
    const id = await running()
    fillAt(disk, 1)
    await engine.deleteMachine(id)
    expect(await engine.inspect(id)).toEqual({ power: 'absent' })
    expect(await processesOf(id)).toEqual([])
    expect((await pathsIn(dataDir)).filter((name) => name.includes(id))).toEqual([])
  })

  test('a suspended VM is ended by force: its memory goes, which makes room', async () => {
    const id = await running()
    await until(id, 'ready')
    await engine.suspendMachine(id, work())
    // What is given back when its memory goes is enough for what is written then.
    const record = join(dataDir, 'machines', id, 'machine.json')
    fillAt(disk, 1)
    await engine.powerOff(id).catch(() => {})
    expect(await readdir(join(dataDir, 'machines', id))).not.toContain('memory')
    makeRoom(disk)
    await engine.powerOff(id)
    expect(JSON.parse(await readFile(record, 'utf8')).restored).toBeNull()
    expect(await engine.inspect(id)).toMatchObject({ power: 'off' })
  })

  test('a VM that could not be made is absent, at whichever write, and is made when there is room', async () => {
    const spec = starterMachine('full-1')
    made.push(spec.id)
    const writes = await atEachWrite(
      () => engine.createMachine(spec),
      async (failure) => {
        expect(await engine.inspect(spec.id)).toMatchObject({ power: failure === null ? 'off' : 'absent' })
      },
    )
    expect(writes).toBeGreaterThan(1)
  })

  test('a VM that could not start is off, at whichever write, and starts when there is room', async () => {
    const id = await newMachine()
    const writes = await atEachWrite(
      () => start(id),
      async (failure) => {
        if (failure !== null) expect(await engine.inspect(id)).toMatchObject({ power: 'off' })
        expect(await processesOf(id)).toHaveLength(failure === null ? 1 : 0)
        await engine.powerOff(id)
      },
    )
    expect(writes).toBeGreaterThan(3)
  })

  test('a snapshot of a VM leaves nothing at whichever write, and the guest runs on', async () => {
    const id = await running()
    await until(id, 'ready')
    const volumeId = randomUUID()
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 16 * 1024 ** 2), work())
    await atEachWrite(
      () => engine.attachVolume(id, volumeId),
      async () => {
        expect(await engine.inspect(id)).toMatchObject({ power: 'ready' })
        // A guest on a busy host takes its time to let go of a disk.
        await expect.poll(() => engine.detachVolume(id, volumeId, work())).toBe('released')
      },
    )
    const before = await kept()
    await atEachWrite(
      async () => {
        const snapshotId = randomUUID()
        const source = { machineId: id, volumeIds: [], memory: false }
        await engine.createMachineSnapshot(snapshotId, source, work())
        fillAt(disk, 1)
        await engine.deleteMachineSnapshot(snapshotId)
        makeRoom(disk)
      },
      async () => {
        expect(await engine.inspect(id)).toMatchObject({ power: 'ready' })
        expect(await kept()).toEqual(before)
      },
    )
    fillAt(disk, 1)
    await engine.deleteVolume(volumeId)
    expect(await engine.listVolumes()).not.toContain(volumeId)
  })

  test('a restore is complete or not begun at whichever write, and goes on when there is room', async () => {
    const id = await newMachine()
    const snapshotId = randomUUID()
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: false }, work())
    await atEachWrite(
      () => engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work()),
      async (failure) => {
        if (failure !== null) expect(await engine.inspect(id)).toMatchObject({ power: 'off' })
        else await engine.dropRestore(id)
      },
    )
    const safetyIds: string[] = []
    const writes = await atEachWrite(
      async () => {
        const safetyId = randomUUID()
        await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work())
        safetyIds.push(safetyId)
        await engine.switchDisks(id, safetyId, work())
      },
      async (failure) => {
        const safetyId = safetyIds.at(-1)
        if (failure === null || safetyId === undefined) return
        await engine.switchDisks(id, safetyId, work()).catch(() => engine.dropRestore(id))
        await start(id)
        await engine.powerOff(id)
      },
    )
    expect(writes).toBeGreaterThan(3)
    for (const safetyId of safetyIds) await engine.deleteMachineSnapshot(safetyId)
    await engine.deleteMachineSnapshot(snapshotId)
    expect(await engine.listSnapshots('machine')).not.toContain(snapshotId)
  })
})
