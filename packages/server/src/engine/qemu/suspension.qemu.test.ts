// @module-tag full
import { randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { blankEngine, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { exists } from './durable.ts'
import { missing, processesOf, startServer } from './qemu-engine.test-kit.ts'

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
  const spec = blankMachine('suspended-1')
  const { home, dataDir, engine, reopen } = blankEngineForEach([spec])
  const { id } = spec
  beforeEach(async () => {
    await engine().createMachine(spec)
    await start()
  })

  const start = (volumeIds: string[] = []) => engine().startMachine(id, { freshRoot: false, volumeIds })
  const suspend = () => engine().suspendMachine(id, work())
  const fileOf = (name: string) => join(dataDir(), 'machines', id, name)
  const recordOf = async () => JSON.parse(await readFile(fileOf('machine.json'), 'utf8'))
  async function expectRunning(): Promise<void> {
    expect(await engine().inspect(id)).toMatchObject({ power: 'booting' })
    expect(await processesOf(id)).toHaveLength(1)
    expect(await exists(fileOf('memory'))).toBe(false)
    expect((await recordOf()).restored).toBeNull()
  }
  async function expectSuspended(): Promise<void> {
    expect(await engine().inspect(id)).toMatchObject({ power: 'suspended' })
    expect(await processesOf(id)).toEqual([])
    expect(await exists(fileOf('memory'))).toBe(true)
  }

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

  test('is ended by the next server when the one before was killed after it was recorded', async () => {
    await suspend()
    const { restored } = await recordOf()
    await start()
    const state = await engine().inspect(id)
    // As if the process had not been ended: it lives, and the record says that its memory is complete.
    const record = { ...(await recordOf()), restored }
    record.restored.suspended.run = 'run' in state ? state.run : ''
    await reopen(async () => {
      await writeFile(fileOf('machine.json'), JSON.stringify(record))
      await writeFile(fileOf('memory'), 'any')
    })
    await expectSuspended()
  })

  test('is either suspended or runs, whenever the server is killed meanwhile', async () => {
    const seen = new Set<string>()
    for (let delay = 0; delay < 240; delay += 50) {
      await reopen(async () => {
        const server = await startServer(suspendIt, dataDir(), id)
        await sleep(delay)
        await server.kill()
      })
      const { power } = await engine().inspect(id)
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
    const ended = engine().suspendMachine(id, { signal: ending.signal, onProgress: () => ending.abort() })
    await expect(ended).rejects.toMatchObject({ code: 'aborted' })
    await expectRunning()
  })

  test('goes on with the volumes it had', async () => {
    const volumeId = randomUUID()
    await engine().createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024 * 1024), work())
    await engine().attachVolume(id, volumeId)
    await suspend()
    // Of a guest in the middle of its work, as that of one that lives.
    const snapshotId = randomUUID()
    const taken = await engine().createVolumeSnapshot(snapshotId, { volumeId, parentId: null }, work())
    expect(taken.consistency).toBe('crash')
    expect(await start([volumeId])).toBeNull()
    await suspend()
    // Taken off meanwhile: what it had in memory of the disk is not true any more.
    expect(await start([])).toMatch(/^Its saved memory does not fit any more|was detached/)
    await expectRunning()
    await engine().deleteVolume(volumeId)
  })

  test('is suspended in a backup as well', async () => {
    await suspend()
    const to = join(home(), 'backup')
    await mkdir(to)
    const ids = { machines: [id], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
    expect(await engine().saveTo(to, ids, work())).toEqual(new Map())
    const other = await blankEngine(to)
    await other.open()
    expect(await other.inspect(id)).toMatchObject({ power: 'suspended' })
    expect(await other.startMachine(id, { freshRoot: false, volumeIds: [] })).toBeNull()
    await other.deleteMachine(id)
    await other.close()
  })
})
