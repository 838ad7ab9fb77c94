// @module-tag full
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import { BLANK, blankEngineForEach, blankMachine } from './blank-images.test-kit.ts'
import { exists } from './durable.ts'
import { imageFilesInUse } from './image-use.ts'
import { placeNames } from './places.ts'
import { missing } from './qemu-engine.test-kit.ts'

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

describe.skipIf(missing !== undefined)('What QEMU keeps on the disk and cannot be read', () => {
  const spec = blankMachine('unreadable-1')
  const { dataDir, engine, reopen } = blankEngineForEach([spec])
  const at = (...names: string[]) => join(dataDir(), ...names)
  const fileOf = (name: string) => at('machines', spec.id, name)
  const start = () => engine().startMachine(spec.id, { freshRoot: false, volumeIds: [] })

  const id = randomUUID()
  type Call = () => Promise<unknown>
  /** What is kept, where its record and its disk are, how it is made, and what is said of it and of what there is. */
  const kept: [what: string, record: string, disk: string, make: Call, look: Call][] = [
    [
      'a machine',
      `machines/${spec.id}/machine.json`,
      `machines/${spec.id}/root.qcow2`,
      async () => {},
      async () => [await engine().inspect(spec.id), [...(await engine().list()).keys()]],
    ],
    [
      'a VM snapshot',
      `snapshots/${id}/manifest.json`,
      `snapshots/${id}/root.qcow2`,
      () => engine().createMachineSnapshot(id, { machineId: spec.id, volumeIds: [], memory: false }, work()),
      async () => [await engine().inspectSnapshot('machine', id), await engine().listSnapshots('machine')],
    ],
    [
      'a disk snapshot',
      `volume-snapshots/${id}.json`,
      `volume-snapshots/${id}.qcow2`,
      async () => {
        const volumeId = randomUUID()
        await engine().createVolume(volumeSpec(volumeId, { from: 'nothing' }, 1024 * 1024), work())
        await engine().createVolumeSnapshot(id, { volumeId, parentId: null }, work())
      },
      async () => [await engine().inspectSnapshot('volume', id), await engine().listSnapshots('volume')],
    ],
  ]
  describe.each(kept)('%s', (_, record, disk, make, look) => {
    test.each([
      ['has a foreign shape', (path: string) => writeFile(path, '{"name":"somebody else"}')],
      // As root every file may be read; one that leads to itself is refused to everybody.
      ['cannot be read', (path: string) => symlink(path, path)],
    ])('whose record %s keeps its disk over a restart, and comes back', async (_, damage) => {
      await engine().createMachine(spec)
      await make()
      const [whole, before] = [await readFile(at(record), 'utf8'), await look()]
      await rm(at(record))
      await damage(at(record))
      await reopen()
      expect(await exists(at(disk))).toBe(true)
      expect(JSON.stringify(await look())).toContain('"unreadable"')
      await rm(at(record))
      await writeFile(at(record), whole)
      expect(await look()).toEqual(before)
    })
  })

  test('600 machines are still there when a server with 256 descriptors was started on them', async () => {
    await engine().createMachine(spec)
    const [record, root] = await Promise.all([
      readFile(fileOf('machine.json'), 'utf8'),
      readFile(fileOf('root.qcow2')),
    ])
    for (let made = 1; made < 600; made += 1) {
      const id = randomUUID()
      const dir = at('machines', id)
      await mkdir(dir)
      await writeFile(join(dir, 'machine.json'), record.replaceAll(spec.id, id))
      await writeFile(join(dir, 'root.qcow2'), root)
    }
    const limited = [
      '--nofile=256:256',
      process.execPath,
      '--input-type=module',
      '-e',
      openWithFew,
      dataDir(),
    ]
    const states = JSON.parse(await run('prlimit', limited, { cwd: import.meta.dirname }))
    const left = (await readdir(at('machines'))).filter((name) => /^[0-9a-f-]{36}$/.test(name))
    expect(left).toHaveLength(600)
    expect(states).toEqual(Array.from({ length: 600 }, () => 'off'))
  })

  test.each(['', '{"first": 0', '{"first":0}', '[]'])(
    'a server starts when an index of console output is %j',
    async (text) => {
      await engine().createMachine(spec)
      await start()
      await engine().powerOff(spec.id)
      await writeFile(fileOf('console.json'), text)
      await reopen()
      expect(await engine().inspect(spec.id)).toMatchObject({ power: 'off' })
      const terminal = await engine().openConsole(spec.id)
      expect(terminal?.extent().first).toBe(0)
      terminal?.close()
    },
  )

  test.each(['swap.json', join('restore', 'prepared.json'), 'run.json'])(
    'a server starts when %s of a machine is torn, and removes nothing',
    async (name) => {
      await engine().createMachine(spec)
      const safetyId = randomUUID()
      const safety = at('snapshots', safetyId)
      await mkdir(fileOf('restore'))
      await mkdir(safety)
      // What an interrupted restore put aside.
      await writeFile(join(safety, 'root.qcow2'), 'a disk')
      await writeFile(fileOf(name), '{"safetyId":')
      await reopen()
      if (name === 'swap.json') expect(await exists(join(safety, 'root.qcow2'))).toBe(true)
      expect(await exists(fileOf(name))).toBe(true)
      expect(await exists(fileOf('root.qcow2'))).toBe(true)
      expect(await engine().inspect(spec.id)).toMatchObject({
        power: name === 'run.json' ? 'unreadable' : 'off',
      })
    },
  )

  test('a deleted machine whose restore cannot be completed is moved aside, with what the restore replaced', async () => {
    await engine().createMachine(spec)
    const safetyId = randomUUID()
    const safety = at('snapshots', safetyId)
    await mkdir(safety)
    await writeFile(join(safety, 'filled-by-restore'), '{}')
    await writeFile(join(safety, 'root.qcow2'), 'a disk')
    await writeFile(fileOf('swap.json'), '{"safetyId":')
    await engine().deleteMachine(spec.id)
    expect(await engine().inspect(spec.id)).toEqual({ power: 'absent' })
    await reopen()
    const kept = await readdir(at('orphans'), { recursive: true })
    expect(kept.filter((name) => name.includes(spec.id) && name.endsWith('root.qcow2'))).toHaveLength(1)
    expect(kept.filter((name) => name.includes(safetyId) && name.endsWith('root.qcow2'))).toHaveLength(1)
  })

  test('a machine that ran and whose record is lost is moved aside, before another takes its place', async () => {
    await engine().createMachine(spec)
    await start()
    await engine().powerOff(spec.id)
    const before = await readFile(fileOf('root.qcow2'))
    await rm(fileOf('machine.json'))
    expect(await engine().inspect(spec.id)).toEqual({ power: 'absent' })
    await engine().createMachine(spec)
    const [moved] = await readdir(at('orphans'))
    expect(moved).toMatch(new RegExp(`^machines-${spec.id}-\\d{4}-`))
    expect((await readFile(at('orphans', `${moved}`, 'root.qcow2'))).equals(before)).toBe(true)
    await rm(fileOf('machine.json'))
    await writeFile(fileOf('run.json'), '{}')
    await reopen()
    expect(await readdir(at('orphans'))).toHaveLength(1)
    await rm(fileOf('run.json'))
    await writeFile(fileOf('console.json'), '{}')
    await reopen()
    expect(await readdir(at('orphans'))).toHaveLength(2)
  })

  test('a deletion that was interrupted is completed, and one of a machine that never ran leaves nothing', async () => {
    await engine().createMachine(spec)
    await rename(fileOf('machine.json'), fileOf('deleted'))
    await writeFile(fileOf('console.json'), '{}')
    const neverRan = at('machines', randomUUID())
    await mkdir(neverRan)
    await writeFile(join(neverRan, 'root.qcow2'), 'half of it')
    await reopen()
    expect(await exists(fileOf('root.qcow2'))).toBe(false)
    expect(await exists(neverRan)).toBe(false)
    expect(await exists(at('orphans'))).toBe(false)
  })

  test('a machine that is not running does not start in the middle of a restore', async () => {
    await engine().createMachine(spec)
    await writeFile(fileOf('swap.json'), '')
    await expect(start()).rejects.toThrow('damaged')
  })

  test('a restore that was certainly left half-made is cleared, also while the guest runs', async () => {
    await engine().createMachine(spec)
    await start()
    await mkdir(fileOf('restore'))
    await writeFile(join(fileOf('restore'), 'root.qcow2'), 'half of it')
    await reopen()
    expect(await exists(fileOf('restore'))).toBe(false)
    expect(await engine().inspect(spec.id)).toMatchObject({ power: 'booting' })
  })

  test('images stay as long as a machine cannot be read', async () => {
    await engine().createMachine(spec)
    expect(await imageFilesInUse(dataDir())).toEqual(new Set([at('images', 'files', BLANK)]))
    await writeFile(fileOf('machine.json'), '')
    await expect(imageFilesInUse(dataDir())).rejects.toThrow('cannot be read')
  })

  test('machines that were not mounted at the start are taken up when they are', async () => {
    await engine().createMachine(spec)
    await start()
    const [machines, elsewhere] = [at('machines'), at('elsewhere')]
    await reopen(async () => {
      await rename(machines, elsewhere)
      await mkdir(machines)
    })
    await expect(engine().list()).rejects.toThrow('Is it mounted?')
    expect(await engine().inspect(spec.id)).toMatchObject({ power: 'unreadable' })
    await expect(engine().deleteMachine(spec.id)).rejects.toThrow('Is it mounted?')
    await rm(machines, { recursive: true })
    await rename(elsewhere, machines)
    expect((await engine().list()).get(spec.id)).toMatchObject({ power: 'booting' })
    expect([...(await engine().usage('processors')).keys()]).toEqual([spec.id])
  })

  test('an installation whose own file is damaged removes nothing and makes nothing', async () => {
    await engine().createMachine(spec)
    const file = at('installation.json')
    const whole = await readFile(file, 'utf8')
    await writeFile(file, '')
    await reopen()
    expect(await exists(fileOf('root.qcow2'))).toBe(true)
    await expect(engine().list()).rejects.toThrow('damaged')
    await writeFile(file, whole)
    expect((await engine().list()).get(spec.id)).toMatchObject({ power: 'off' })
  })

  test('an earlier installation gets its markers at its first start', async () => {
    await engine().createMachine(spec)
    await rm(at('installation.json'))
    for (const name of placeNames) await rm(at(name, '.slipway'))
    await reopen()
    for (const name of placeNames) expect(await exists(at(name, '.slipway'))).toBe(true)
    expect(await engine().inspect(spec.id)).toMatchObject({ power: 'off' })
  })

  test('what a guest prints can be read by the server alone', async () => {
    await engine().createMachine(spec)
    await start()
    expect(((await stat(fileOf('serial.log'))).mode & 0o777).toString(8)).toBe('600')
  })
})
