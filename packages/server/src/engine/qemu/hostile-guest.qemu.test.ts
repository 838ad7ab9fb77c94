import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STARTER_IMAGE } from '../../image/image-store.ts'
import { run } from '../../lib/command.ts'
import { PROJECT_ID, volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine, MachineSpec } from '../engine.ts'
import { missing, processesOf, testEngine } from './qemu-engine.test-kit.ts'

/**
 * A boot sector that switches the CPU hot-plug port to its present interface and then reports an `_OST` status
 * without end, each of which makes QEMU send an event. QEMU's `docs/specs/acpi_cpu_hotplug.rst` has the registers.
 */
const reportsWithoutEnd = Buffer.concat([
  Buffer.from([
    ...[0xfa, 0xba, 0xd8, 0x0c, 0x30, 0xc0, 0xee], // cli; mov dx, 0xcd8; xor al, al; out dx, al
    ...[0xba, 0xd8, 0x0c, 0x66, 0x31, 0xc0, 0x66, 0xef], // mov dx, 0xcd8; xor eax, eax; out dx, eax: selects CPU 0
    ...[0xba, 0xdd, 0x0c, 0xb0, 0x02, 0xee], // mov dx, 0xcdd; mov al, 2; out dx, al: the data is a status
    ...[0xba, 0xe0, 0x0c, 0x66, 0x31, 0xc0, 0x66, 0xef], // mov dx, 0xce0; xor eax, eax; out dx, eax
    ...[0xeb, 0xe8], // jmp to the second line
  ]),
  Buffer.alloc(510 - 31),
  Buffer.from([0x55, 0xaa]),
])

describe.skipIf(missing !== undefined)('a guest that hangs or means harm', () => {
  let dataDir: string
  let engine: Engine
  const spec = (): MachineSpec => ({
    id: randomUUID(),
    projectId: PROJECT_ID,
    hostname: 'hostile',
    cpu: 1,
    memoryMb: 256,
    imageId: STARTER_IMAGE,
    sshPublicKeys: [],
    volumeIds: [],
    persistent: true,
  })
  const start = async (id: string) => engine.startMachine(id, { freshRoot: false, volumeIds: [] })
  const signal = async (id: string, name: NodeJS.Signals) => {
    for (const pid of await processesOf(id)) process.kill(Number(pid), name)
  }
  const fileOf = (id: string, name: string) => join(dataDir, 'machines', id, name)

  async function openEngine(): Promise<Engine> {
    const opened = await testEngine(dataDir)
    await opened.open()
    return opened
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-hostile-'))
    engine = await openEngine()
  })
  afterAll(async () => {
    for (const id of (await engine.list()).keys()) await engine.deleteMachine(id)
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  test('whose process is stopped is ended by force, deleted, and keeps usage of nobody', async () => {
    const [hung, well] = [spec(), spec()]
    for (const machine of [hung, well]) {
      await engine.createMachine(machine)
      await start(machine.id)
    }
    await signal(hung.id, 'SIGSTOP')
    expect((await engine.inspect(hung.id)).power).toBe('booting')
    const usage = await engine.usage('everything')
    expect(usage.get(well.id)).toMatchObject({ disk: { read: expect.any(Number) } })
    expect(usage.get(hung.id)).toMatchObject({ disk: null, network: null })

    // Somebody waits for it in its turn; force does not.
    const waiting = engine.powerDown(hung.id).catch(() => {})
    await engine.powerOff(hung.id)
    expect(await processesOf(hung.id)).toEqual([])
    await waiting
    expect(await engine.inspect(hung.id)).toMatchObject({ power: 'off', exit: { how: 'asked' } })

    await start(hung.id)
    await signal(hung.id, 'SIGSTOP')
    await engine.deleteMachine(hung.id)
    expect(await engine.inspect(hung.id)).toEqual({ power: 'absent' })
    expect(await processesOf(hung.id)).toEqual([])
    await engine.deleteMachine(well.id)
  })

  test('and is stopped when a server finds it keeps that server from nothing', async () => {
    const hung = spec()
    await engine.createMachine(hung)
    await start(hung.id)
    await engine.close()
    await signal(hung.id, 'SIGSTOP')
    engine = await openEngine()
    expect((await engine.inspect(hung.id)).power).toBe('booting')
    await expect(start(hung.id)).rejects.toThrow('does not respond')
    await engine.deleteMachine(hung.id)
    expect(await processesOf(hung.id)).toEqual([])
  })

  test('and is stopped when a server finds it keeps its disks, until it is ended', async () => {
    const hung = spec()
    const volumeId = randomUUID()
    await engine.createVolume(volumeSpec(volumeId, { from: 'nothing' }, 16 * 1024 * 1024), work())
    await engine.createMachine(hung)
    await engine.startMachine(hung.id, { freshRoot: false, volumeIds: [volumeId] })
    await engine.close()
    await signal(hung.id, 'SIGSTOP')
    engine = await openEngine()
    await expect(engine.deleteVolume(volumeId)).rejects.toMatchObject({ code: 'volume-busy' })
    await engine.powerOff(hung.id)
    await engine.deleteVolume(volumeId)
    await engine.deleteMachine(hung.id)
  })

  test('and makes QEMU send events without end costs no room, and its end is judged all the same', async () => {
    const hostile = spec()
    await engine.createMachine(hostile)
    const sector = join(dataDir, 'sector')
    await writeFile(sector, Buffer.concat([reportsWithoutEnd, Buffer.alloc(4 * 1024 * 1024 - 512)]))
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', sector, fileOf(hostile.id, 'root.qcow2')])
    // It starts by firmware, as a foreign image does.
    const record = JSON.parse(await run('cat', [fileOf(hostile.id, 'machine.json')]))
    const { kernel, initrd, cmdline, ...image } = record.image
    expect([kernel, initrd, cmdline]).not.toContain(undefined)
    await writeFile(fileOf(hostile.id, 'machine.json'), JSON.stringify({ ...record, image }))
    await engine.close()
    engine = await openEngine()
    await start(hostile.id)
    await sleep(6000)
    let bytes = 0
    for (const name of await readdir(join(dataDir, 'machines', hostile.id))) {
      if (name.startsWith('journal')) bytes += (await stat(fileOf(hostile.id, name))).size
    }
    expect(bytes).toBeLessThan(1024 * 1024)
    for (const pid of await processesOf(hostile.id)) process.kill(Number(pid), 'SIGTERM')
    for (let look = 0; look < 500 && (await processesOf(hostile.id)).length > 0; look += 1) await sleep(20)
    expect(await engine.inspect(hostile.id)).toMatchObject({
      power: 'off',
      exit: { how: 'crashed', reason: expect.stringContaining('signal') },
    })
    await engine.deleteMachine(hostile.id)
  })
})
