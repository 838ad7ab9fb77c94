import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type APIRequestContext, expect } from '@playwright/test'
import { type Disk, diskApi, diskSnapshotApi, type Vm, vmApi, vmSnapshotApi } from '@slipway/contract'
import { test } from '../measured.ts'
import type { Server } from '../server.ts'
import { type Ledger, makeLedger } from './ledger.ts'
import { newOwner, type Owner } from './owner.ts'
import { clear, newDataDir, startRealServer } from './real.ts'
import { seededRandom } from './seed.ts'
import { type Belongings, belongingsOf, deviceOf, rest, serveFiles, strays, untilSeen } from './storage.ts'

const run = promisify(execFile)
const fromLoopback = { SLIPWAY_PRIVATE_SOURCES: '127.0.0.1' }
const mib = 1024 * 1024

let dataDir: string
let server: Server
let owner: Owner
let web: Awaited<ReturnType<typeof serveFiles>>
let engine: Vm
/** On the engine; what it holds stands in the file `expected`. */
let load: Disk
let expected: string
let boot: string
/** Of copies: what was deleted must never be back. */
let ledger: Ledger

const inEngine = (command: string) => owner.inGuest(engine.id, command)
const bootId = () => inEngine('cat /proc/sys/kernel/random/boot_id')

/** A server, and a running VM with a disk that begins with 300 MiB of random bytes. */
async function setUp(request: APIRequestContext): Promise<void> {
  expected = join(await mkdtemp(join(tmpdir(), 'slipway-load-')), 'load.raw')
  const file = await open(expected, 'w')
  for (let i = 0; i < 300; i++) await file.write(randomBytes(mib))
  await file.close()
  ledger = makeLedger()
  web = await serveFiles({ fast: { path: expected }, slow: { path: expected, slowMs: 10 } })
  server = await startRealServer(dataDir, fromLoopback)
  owner = await newOwner(request, () => server)
  const created = await owner.create('engine')
  await owner.must(diskApi.create, {
    params: owner.params,
    body: { name: 'load', size: '1Gi', source: 'HTTP', image_url: `${web.url}/fast` },
  })
  engine = await owner.settled(created?.id ?? '')
  expect(engine).toMatchObject({ status: 'running' })
  const [disk] = (await rest(owner)).disks
  if (!disk) throw new Error('there is no disk')
  load = disk
  await owner.must(diskApi.attach, {
    params: { ...owner.params, diskId: load.id },
    body: { vm_id: engine.id },
  })
  await untilSeen(owner, engine.id, load)
  await inEngine('echo kept > /root/letter; sync')
  boot = await bootId()
}

async function tearDown(): Promise<void> {
  web?.close()
  await server?.stop()
  if (expected) await rm(join(expected, '..'), { recursive: true })
  expected = ''
}

/** Writes 200 MiB of zeros on the disk in the guest, and into the file of what it holds. */
async function overwrite(): Promise<void> {
  await inEngine(`dd if=/dev/zero of=${deviceOf(load)} bs=1M count=200 conv=fsync 2>/dev/null`)
  await run('dd', ['if=/dev/zero', `of=${expected}`, 'bs=1M', 'count=200', 'conv=notrunc'])
}

const takeVm = (name: string, snapshot_type: 'disk' | 'full') =>
  owner.must(vmSnapshotApi.create, { ...owner.of(engine.id), body: { name, snapshot_type } })
const takeDisk = (name: string, snapshot_type: 'full' | 'incremental') =>
  owner.must(diskSnapshotApi.create, {
    params: owner.params,
    body: { name, disk_id: load.id, snapshot_type },
  })

async function idOf(kind: 'vmSnapshots' | 'diskSnapshots', name: string): Promise<string> {
  const { id } = (await belongingsOf(owner))[kind].find((one) => one.name === name) ?? {}
  if (!id) throw new Error(`${name} is gone`)
  return id
}
const restore = async (name: string) =>
  owner.must(vmSnapshotApi.restore, {
    params: { ...owner.params, snapshotId: await idOf('vmSnapshots', name) },
    body: { vm_id: engine.id },
  })

/** Each makes something of this name that is a copy of the disk, alone or with the VM. */
const copies: Record<string, (name: string) => Promise<unknown>> = {
  'a VM snapshot': (name) => takeVm(name, 'disk'),
  'a VM snapshot with memory': (name) => takeVm(name, 'full'),
  'a full disk snapshot': (name) => takeDisk(name, 'full'),
  'an incremental disk snapshot': (name) => takeDisk(name, 'incremental'),
  'a disk from a snapshot': async (name) =>
    owner.must(diskSnapshotApi.createDisk, {
      params: { ...owner.params, diskSnapshotId: await idOf('diskSnapshots', 'base') },
      body: { name, size_gb: 1 },
    }),
  'a disk from the web': (name) =>
    owner.must(diskApi.create, {
      params: owner.params,
      body: { name, size: '1Gi', source: 'HTTP', image_url: `${web.url}/slow` },
    }),
}

/** What was made under a name, and the file in which it holds what the disk held. */
function madeAs(name: string, { vmSnapshots, disks, diskSnapshots }: Belongings) {
  const find = <T extends { id: string; name: string }>(list: T[], fileOf: (id: string) => string) => {
    const one = list.find((each) => each.name === name)
    return one && { one, file: join(dataDir, fileOf(one.id)) }
  }
  return (
    find(vmSnapshots, (id) => `snapshots/${id}/${load.id}.qcow2`) ??
    find(diskSnapshots, (id) => `volume-snapshots/${id}.qcow2`) ??
    find(disks, (id) => `volumes/${id}.qcow2`)
  )
}

/** Waits until a copy is under way, or over; whether it was caught. */
async function untilUnderWay(name: string): Promise<boolean> {
  for (;;) {
    const made = madeAs(name, await belongingsOf(owner))
    if (!made) throw new Error(`${name} is gone`)
    const { status, progress } = made.one
    if (status === 'creating' && progress !== null) return true
    if (status !== 'creating' && (status as string) !== 'pending') return false
    await sleep(5)
  }
}

/** What must hold whatever was killed: nothing stuck, nothing without words, nothing without an owner. */
async function expectOrder(): Promise<Belongings> {
  const had = await rest(owner)
  const all = Object.values(had).flat()
  expect(ledger.brokenBy(all.map(({ id }) => id))).toEqual([])
  for (const { status, status_message } of all) {
    if (status === 'failed' || status === 'error') expect(status_message).toMatch(/^[A-Z].+\.$/)
  }
  await expect.poll(async () => strays(dataDir, await belongingsOf(owner))).toEqual([])
  return had
}

async function expectUnharmed(): Promise<void> {
  expect(await bootId()).toBe(boot)
  expect(await inEngine('echo alive > /root/alive; sync; cat /root/letter /root/alive')).toBe('kept\nalive')
  expect(await inEngine('dmesg | grep -ci "i/o error" || true')).toBe('0')
}

/** A good copy holds every byte, a failed one says why; then it is removed. */
async function expectWholeOrFailed(name: string, had: Belongings, content: string): Promise<void> {
  const made = madeAs(name, had)
  // The server died before it had answered.
  if (!made) return
  const { one, file } = made
  if (one.status === 'failed') expect(existsSync(file)).toBe(false)
  else {
    expect(['ready', 'available']).toContain(one.status)
    await run('qemu-img', ['compare', '-U', '-f', 'raw', '-F', 'qcow2', content, file])
    await run('qemu-img', ['check', '-U', '-f', 'qcow2', file])
  }
  const params = { ...owner.params, diskId: one.id, snapshotId: one.id, diskSnapshotId: one.id }
  const endpoint = had.vmSnapshots.some(({ id }) => id === one.id)
    ? vmSnapshotApi.delete
    : had.disks.some(({ id }) => id === one.id)
      ? diskApi.delete
      : diskSnapshotApi.delete
  await ledger.deletes(one.id, () => owner.must(endpoint, { params }))
}

test.describe('a kill in the middle of a copy', () => {
  /** What the disk held at first, which is in both snapshots. */
  let base: string

  test.beforeAll(async ({ playwright }) => {
    dataDir = await newDataDir()
    await setUp(await playwright.request.newContext())
    await takeDisk('base', 'full')
    await takeVm('kept', 'disk')
    await rest(owner)
    base = `${expected}.base`
    await run('cp', [expected, base])
  })
  test.afterAll(async () => {
    await tearDown()
    await clear(dataDir)
  })

  test('of the server leaves each one whole or failed, no bytes without an owner, and the guest unharmed', async () => {
    const random = seededRandom()
    await overwrite()
    let caught = 0
    for (const [what, begin] of Object.entries(copies)) {
      for (const moment of ['while under way', 'at any time'] as const) {
        const name = `${what}, killed ${moment}`
        const asked = begin(name).catch(() => null)
        if (moment === 'at any time') await sleep(random.below(1_500))
        else {
          await asked
          if (await untilUnderWay(name)) caught++
          await sleep(random.below(200))
        }
        await server.kill()
        await asked
        server = await startRealServer(dataDir, fromLoopback)
        const had = await expectOrder()
        await expectUnharmed()
        const fromBase = what === 'a disk from a snapshot'
        await expectWholeOrFailed(name, had, fromBase ? base : expected)
      }
    }
    // A fast host ends some copies first; the download is slow everywhere.
    expect(caught).toBeGreaterThan(0)
    await expectOrder()
  })

  test('of the server does not stop a restore, which ends with what the snapshot held', async () => {
    const random = seededRandom()
    for (const moment of ['while it copies', 'at any time'] as const) {
      await inEngine(`echo lost > /root/letter; echo new > /root/new; sync`)
      const before = (await belongingsOf(owner)).vmSnapshots.length
      await restore('kept')
      if (moment === 'at any time') await sleep(random.below(4_000))
      else
        await expect
          .poll(async () => (await owner.must(vmApi.get, owner.of(engine.id))).status_message, {
            intervals: [20],
          })
          .toMatch(/Restoring/)
      await server.kill()
      server = await startRealServer(dataDir, fromLoopback)
      const { vms, vmSnapshots } = await expectOrder()
      expect(vms).toMatchObject([{ status: 'running', status_message: null }])
      expect(vmSnapshots).toHaveLength(before + 1)
      expect(vmSnapshots.at(-1)).toMatchObject({ automatic: true, status: 'ready' })
      expect(await inEngine('cat /root/letter; ls /root/new 2>/dev/null; true')).toBe('kept')
      await untilSeen(owner, engine.id, load)
      expect(await inEngine(`head -c ${mib} ${deviceOf(load)} | md5sum`)).toBe(await sumOf(base))
    }
    await run('cp', [base, expected])
    boot = await bootId()
  })
})

async function sumOf(path: string): Promise<string> {
  const { stdout } = await run('sh', ['-c', 'head -c 1048576 "$1" | md5sum', 'sh', path])
  return stdout.trim()
}
