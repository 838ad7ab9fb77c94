import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, open, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import { blankEngine, blankMachine } from './blank-images.test-kit.ts'
import { missing, processesOf } from './qemu-engine.test-kit.ts'

/** A server of few words: suspends a machine, and says when it begins. */
const suspendIt = `
  const [dataDir, id] = process.argv.slice(1)
  const { blankEngine } = await import('./blank-images.test-kit.ts')
  const engine = await blankEngine(dataDir)
  await engine.open()
  // As a server does it lives on, whatever comes of this.
  setInterval(() => {}, 60_000)
  process.stdout.write('begun')
  await engine.suspendMachine(id, { signal: new AbortController().signal, onProgress() {} })
  process.stdout.write('done')
`

describe.skipIf(missing !== undefined)('A machine that is suspended', () => {
  let home: string
  let dataDir: string
  let engine: Engine
  const spec = blankMachine('suspended-1')
  const { id } = spec

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-suspended-'))
    dataDir = join(home, 'data')
    await mkdir(dataDir)
    engine = await blankEngine(dataDir)
    await engine.open()
    await engine.createMachine(spec)
    await start()
  })
  afterEach(async () => {
    await engine.deleteMachine(id)
    await engine.close()
    await rm(home, { recursive: true, force: true })
  })

  const start = (volumeIds: string[] = []) => engine.startMachine(id, { freshRoot: false, volumeIds })
  const suspend = () => engine.suspendMachine(id, work())
  const fileOf = (name: string, dir = dataDir) => join(dir, 'machines', id, name)
  const isThere = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    )
  const recordOf = async () => JSON.parse(await readFile(fileOf('machine.json'), 'utf8'))
  async function reopen(): Promise<void> {
    await engine.close()
    engine = await blankEngine(dataDir)
    await engine.open()
  }
  async function expectRunning(): Promise<void> {
    expect(await engine.inspect(id)).toMatchObject({ power: 'booting' })
    expect(await processesOf(id)).toHaveLength(1)
    expect(await isThere(fileOf('memory'))).toBe(false)
  }
  async function expectSuspended(): Promise<void> {
    expect(await engine.inspect(id)).toMatchObject({ power: 'suspended' })
    expect(await processesOf(id)).toEqual([])
    expect(await isThere(fileOf('memory'))).toBe(true)
  }

  test('is used up by the start that goes on from it', async () => {
    await suspend()
    await expectSuspended()
    expect(await start()).toBeNull()
    await expectRunning()
    expect((await recordOf()).restored).toBeNull()
  })

  test('boots and says why when its memory is damaged or gone', async () => {
    await suspend()
    const file = await open(fileOf('memory'), 'r+')
    await file.write(Buffer.from('damaged'), 0, 7, 4096)
    await file.close()
    expect(await start()).toBe('Its saved memory is missing or damaged.')
    await expectRunning()

    await suspend()
    await rm(fileOf('memory'))
    await reopen()
    expect(await start()).toBe('Its saved memory is missing or damaged.')
    await expectRunning()
  })

  test('boots and says why when another hypervisor is installed meanwhile', async () => {
    await suspend()
    const record = await recordOf()
    record.restored.memory.qemu = '1.0.0'
    await engine.close()
    await writeFile(fileOf('machine.json'), JSON.stringify(record))
    await reopen()
    expect(await start()).toBe(
      'Its saved memory does not fit any more: it was saved by another version of the hypervisor.',
    )
    await expectRunning()
  })

  test('is ended by the next server when the one before was killed after it was recorded', async () => {
    await suspend()
    const { restored } = await recordOf()
    await start()
    const state = await engine.inspect(id)
    // As if the process had not been ended: it lives, and the record says that its memory is complete.
    const record = { ...(await recordOf()), restored }
    record.restored.suspended.run = 'run' in state ? state.run : ''
    await engine.close()
    await writeFile(fileOf('machine.json'), JSON.stringify(record))
    await writeFile(fileOf('memory'), 'any')
    await reopen()
    await expectSuspended()
  })

  test('is either suspended or runs, whenever the server is killed meanwhile', async () => {
    const seen = new Set<string>()
    for (let delay = 0; delay < 240; delay += 50) {
      await engine.close()
      const server = spawn(
        process.execPath,
        ['--input-type=module', '--eval', suspendIt, '--', dataDir, id],
        { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const ended = once(server, 'exit')
      await once(server.stdout, 'data')
      await sleep(delay)
      server.kill('SIGKILL')
      await ended
      await reopen()
      const { power } = await engine.inspect(id)
      seen.add(power)
      if (power === 'suspended') {
        await expectSuspended()
        expect(await start()).toBeNull()
      }
      await expectRunning()
    }
    expect([...seen].filter((power) => power !== 'booting' && power !== 'suspended')).toEqual([])
  })

  test('runs on when its memory cannot be written', async () => {
    await mkdir(fileOf('memory'))
    await expect(suspend()).rejects.toThrow('The VM could not be suspended')
    await rm(fileOf('memory'), { recursive: true, force: true })
    await expectRunning()
    await suspend()
    await expectSuspended()
  })

  test('runs on when that is ended in the middle', async () => {
    const ending = new AbortController()
    const ended = engine.suspendMachine(id, { signal: ending.signal, onProgress: () => ending.abort() })
    await expect(ended).rejects.toMatchObject({ code: 'aborted' })
    await expectRunning()
  })

  test('goes on with the volumes it had', async () => {
    const volumeId = randomUUID()
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024 * 1024), work())
    await engine.attachVolume(id, volumeId)
    await suspend()
    // Of a guest in the middle of its work, as that of one that lives.
    const snapshotId = randomUUID()
    const taken = await engine.createVolumeSnapshot(snapshotId, { volumeId, parentId: null }, work())
    expect(taken.consistency).toBe('crash')
    expect(await start([volumeId])).toBeNull()
    await suspend()
    // Taken off meanwhile: what it had in memory of the disk is not true any more.
    expect(await start([])).toMatch(/^Its saved memory does not fit any more|was detached/)
    await expectRunning()
    await engine.deleteVolume(volumeId)
  })

  test('is suspended in a backup as well', async () => {
    await suspend()
    const to = join(home, 'backup')
    await mkdir(to)
    const ids = { machines: [id], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
    expect(await engine.saveTo(to, ids, work())).toEqual(new Map())
    const other = await blankEngine(to)
    await other.open()
    expect(await other.inspect(id)).toMatchObject({ power: 'suspended' })
    expect(await other.startMachine(id, { freshRoot: false, volumeIds: [] })).toBeNull()
    await other.deleteMachine(id)
    await other.close()
  })
})
