import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, type Page } from '@playwright/test'
import {
  type Disk,
  diskApi,
  diskSnapshotApi,
  type Host,
  hostApi,
  projectApi,
  type Vm,
  vmApi,
  vmSnapshotApi,
} from '@slipway/contract'
import { diskListPath, snapshotCreatePath, snapshotListPath } from '../paths.ts'
import { choose, toasts } from '../sentences.ts'
import type { Server } from '../server.ts'
import { test } from './journey.ts'
import { newOwner, type Owner } from './owner.ts'
import { belongingsOf, deviceOf, rest, serveFiles, untilSeen } from './storage.ts'
import { shellsOf, type World } from './world.ts'

const run = promisify(execFile)

test.describe.configure({ mode: 'serial' })

const fromLoopback = { SLIPWAY_PRIVATE_SOURCES: '127.0.0.1' }

let world: World
let server: Server
let page: Page
let owner: Owner
/** What this engine cannot do, in its words. */
let cannot: Host['cannot']
let engine: Vm
let ledger: Disk
/** What is written down of a file of the engine. */
let letter: string | null
/** What the file system on the ledger holds, by the name of the snapshot that was taken then. */
const contents = new Map<string, string | null>()

test.beforeAll(async ({ browser, newWorld }) => {
  world = await newWorld()
  server = await world.start(fromLoopback)
  page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  owner = await newOwner(page.request, () => server)
  cannot = (await owner.must(hostApi.get, {})).cannot
})

test.afterAll(async () => {
  await page?.close()
  await server?.stop()
  await world?.close()
})

const cardOf = (name: string) => page.getByRole('article', { name, exact: true })
const shells = () => shellsOf(world, owner.inGuest)
const inGuest = (vm: Vm, command: string) => shells().inGuest(vm.id, command)
const inEngine = (command: string) => inGuest(engine, command)
const printed = <T>(text: T) => shells().printed(text)

async function createDisk(body: Parameters<typeof owner.must<typeof diskApi.create>>[1]['body']) {
  const { id } = await owner.must(diskApi.create, { params: owner.params, body })
  const { disks } = await rest(owner)
  const disk = disks.find((one) => one.id === id)
  if (!disk) throw new Error('the disk is gone')
  return disk
}

/** Waits until the guest sees a disk; where guests are played, until the engine says that it has it. */
async function seen(disk: Disk, vm: Vm): Promise<void> {
  if (world.played === null) return untilSeen(owner, vm.id, disk)
  await expect
    .poll(async () => (await belongingsOf(owner)).disks.find(({ id }) => id === disk.id))
    .toMatchObject({ status: 'attached', vm_id: vm.id, status_message: null })
}

async function attach(disk: Disk, vm: Vm): Promise<void> {
  await owner.must(diskApi.attach, {
    params: { ...owner.params, diskId: disk.id },
    body: { vm_id: vm.id },
  })
  await seen(disk, vm)
}

/** Runs a command in the root of the file system on a disk, which is not mounted before and after. */
const within = (disk: Disk, vm: Vm, command: string) =>
  inGuest(
    vm,
    `mount ${deviceOf(disk)} /mnt && cd /mnt && { ${command}; }; done=$?; cd /; umount /mnt && exit $done`,
  )
const sums = 'find . -type f | sort | xargs md5sum'

const take = (name: string, snapshot_type: 'disk' | 'full') =>
  owner.must(vmSnapshotApi.create, { ...owner.of(engine.id), body: { name, snapshot_type } })

async function restore(name: string): Promise<void> {
  await page.getByRole('button', { name: `Restore VM from ${name}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Restore VM' }).click()
  await expect(toasts(page).getByText('VM restoration started successfully!').first()).toBeVisible()
  expect(await owner.settled(engine.id)).toMatchObject({ status: 'running', status_message: null })
}

/** A file that nobody has seen before; what is written down of it. */
const write = () => inEngine('head -c 8388608 /dev/urandom > /root/letter; sync; md5sum /root/letter')
const bootId = () => inEngine('cat /proc/sys/kernel/random/boot_id')

test('what was destroyed is back after Restore, which can be undone', async () => {
  const created = await owner.create('engine')
  engine = await owner.settled(created?.id ?? '')
  expect(engine).toMatchObject({ status: 'running', status_message: null })
  letter = await write()
  await inEngine('touch /run/here')
  const boot = await bootId()
  await take('nightly', 'disk')
  expect((await rest(owner)).vmSnapshots).toMatchObject([
    { name: 'nightly', status: 'ready', has_memory: false },
  ])
  // It did not stop.
  expect(await bootId()).toBe(boot)

  await inEngine('rm /root/letter; echo after > /root/after; sync')
  await page.goto(server.url + snapshotListPath(engine.project_id))
  await restore('nightly')
  expect(await inEngine('md5sum /root/letter')).toBe(letter)
  expect(await inEngine('ls /root/after /run/here 2>/dev/null; true')).toBe(printed(''))

  await restore('Before restoring "nightly"')
  expect(await inEngine('ls /root; cat /root/after')).toBe(printed('after\nafter'))
  letter = await write()
})

test('a snapshot with memory goes on where it was; an engine that has none says so', async () => {
  if (cannot.memory_snapshots !== null) {
    await page.goto(`${server.url}${snapshotCreatePath(engine.project_id)}?vm=${engine.id}`)
    const choice = page.getByRole('radio', { name: 'Full: disk plus memory' })
    await expect(choice).toBeDisabled()
    await expect(choice).toHaveAccessibleDescription(cannot.memory_snapshots)
    await expect(take('warm', 'full')).rejects.toThrow(cannot.memory_snapshots)
    return
  }
  await inEngine(
    `setsid sh -c 'n=0; while :; do n=$((n+1)); echo $n > /run/n.new; mv /run/n.new /run/n; sleep 0.1; done' </dev/null >/dev/null 2>&1 & sleep 1`,
  )
  const boot = await bootId()
  const before = Number(await inEngine('cat /run/n'))
  await take('warm', 'full')
  const { vmSnapshots } = await rest(owner)
  expect(vmSnapshots.find(({ name }) => name === 'warm')).toMatchObject({
    status: 'ready',
    has_memory: true,
    consistency: 'memory',
  })
  expect(Number(await inEngine('cat /run/n'))).toBeGreaterThan(before)
  await inEngine('rm /root/letter; sync')

  await restore('warm')
  expect(await inEngine('md5sum /root/letter')).toBe(letter)
  expect(await bootId()).toBe(boot)
  const resumed = Number(await inEngine('cat /run/n'))
  expect(resumed).toBeGreaterThanOrEqual(before)
  await expect.poll(async () => Number(await inEngine('cat /run/n'))).toBeGreaterThan(resumed)
})

test('every link of a chain of snapshots keeps what the disk held, whichever others are deleted', async () => {
  ledger = await createDisk({ name: 'ledger', size: '1Gi', source: 'EMPTY' })
  await page.goto(server.url + diskListPath(engine.project_id))
  await cardOf('ledger').getByRole('button', { name: 'Attach' }).click()
  await choose(page, 'VM', 'engine')
  await page.getByRole('dialog').getByRole('button', { name: 'Attach', exact: true }).click()
  await expect(toasts(page).getByText('Disk "ledger" attached successfully')).toBeVisible()
  await expect(cardOf('ledger').getByRole('link', { name: 'engine' })).toBeVisible()
  await seen(ledger, engine)
  await inEngine(`mkfs.ext4 -q ${deviceOf(ledger)}`)

  const incremental = cannot.incremental_snapshots === null
  for (const [index, name] of ['full', 'one', 'two', 'three', 'four', 'five'].entries()) {
    const write = `echo ${name} > word; head -c 1048576 /dev/urandom > part-${name}; rm -f part-two`
    contents.set(name, await within(ledger, engine, `${write}; ${sums}`))
    await owner.must(diskSnapshotApi.create, {
      params: owner.params,
      body: { name, disk_id: ledger.id, snapshot_type: index === 0 || !incremental ? 'full' : 'incremental' },
    })
    await rest(owner)
  }
  const { diskSnapshots } = await belongingsOf(owner)
  for (const [index, snapshot] of diskSnapshots.entries()) {
    const parent_id = incremental ? (diskSnapshots[index - 1]?.id ?? null) : null
    expect(snapshot).toMatchObject({ status: 'ready', parent_id })
  }
  for (const { id } of diskSnapshots.slice(2, 5)) {
    // The next waits for the files of the chain, which the deletion of this one moves.
    await expect
      .poll(() => owner.call(diskSnapshotApi.delete, { params: { ...owner.params, diskSnapshotId: id } }))
      .not.toBe(null)
  }
  const left = (await belongingsOf(owner)).diskSnapshots
  expect(left.map(({ name }) => name)).toEqual(['full', 'one', 'five'])
  for (const { id, name } of left) {
    const made = await owner.must(diskSnapshotApi.createDisk, {
      params: { ...owner.params, diskSnapshotId: id },
      body: { name: `from ${name}`, size_gb: 1 },
    })
    await rest(owner)
    await attach(made, engine)
    expect(await within(made, engine, sums)).toBe(contents.get(name))
  }
  await expect.poll(async () => world.left(await rest(owner))).toEqual([])
})

test('an image from the web becomes a disk, a VM is made from it, and a disk moves there with its data', async () => {
  const files = join(world.dataDir, 'served')
  await mkdir(join(files, 'root'), { recursive: true })
  await writeFile(join(files, 'root/greeting'), 'fetched and read')
  const [raw, image] = [join(files, 'tiles.raw'), join(files, 'tiles.qcow2')]
  await run('/usr/sbin/mke2fs', ['-q', '-t', 'ext4', '-d', join(files, 'root'), raw, '64M'])
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, image])
  const web = await serveFiles({ 'tiles.qcow2': { path: image } })
  const image_url = `${web.url}/tiles.qcow2`
  const tiles = await createDisk({ name: 'tiles', size: '1Gi', source: 'HTTP', image_url })
  web.close()
  const image_sha256 = createHash('sha256')
    .update(await readFile(image))
    .digest('hex')
  expect(tiles).toMatchObject({ status: 'available', status_message: null })
  // An engine that leaves the download to others does not see the bytes.
  expect(tiles.image_sha256 ?? image_sha256).toBe(image_sha256)

  await page.goto(server.url + diskListPath(engine.project_id))
  await cardOf('tiles').getByRole('button', { name: 'Create VM' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create VM from disk' })
  await dialog.getByRole('button', { name: 'Create VM' }).click()
  await expect(toasts(page).getByText('VM "tiles-vm" created successfully with disk attached!')).toBeVisible()
  const { id = '' } = (await owner.list()).find((vm) => vm.name === 'tiles-vm') ?? {}
  const second = await owner.settled(id)
  expect(second).toMatchObject({ status: 'running', disks: [{ disk_id: tiles.id }] })
  expect(await within(tiles, second, 'cat greeting')).toBe(printed('fetched and read'))

  await owner.must(diskApi.detach, { params: { ...owner.params, diskId: ledger.id } })
  expect(await inEngine(`echo ${deviceOf(ledger)}`)).toBe(printed(''))
  await attach(ledger, second)
  expect(await within(ledger, second, sums)).toBe(contents.get('five'))
  await owner.must(vmApi.delete, owner.of(second.id))
})

test('the disk of a container image becomes a disk', async () => {
  const work = join(world.dataDir, 'container')
  await mkdir(work)
  const registry = await startRegistry(work)
  test.skip(registry === null, 'no registry is installed here')
  if (registry === null) return
  try {
    const [disk, layout] = [join(work, 'disk.raw'), join(work, 'layout')]
    await writeFile(disk, 'from a container'.padEnd(1024 * 1024, '\0'))
    await run('umoci', ['init', '--layout', layout])
    await run('umoci', ['new', '--image', `${layout}:v1`])
    await run('umoci', ['insert', '--image', `${layout}:v1`, disk, '/disk/disk.img'])
    const image_url = `${registry.host}/tests/disk:v1`
    const flags = ['--insecure-policy', '--quiet', '--dest-tls-verify=false']
    await run('skopeo', ['copy', ...flags, `oci:${layout}:v1`, `docker://${image_url}`])
    const made = await createDisk({ name: 'contained', size: '1Gi', source: 'REGISTRY', image_url })
    expect(made).toMatchObject({ status: 'available', status_message: null })
    await attach(made, engine)
    expect(await inEngine(`head -c 16 ${deviceOf(made)}`)).toBe(printed('from a container'))
  } finally {
    registry.process.kill()
    await once(registry.process, 'exit')
  }
})

test('a hostile image is refused with the reason on its card, and leaves nothing', async () => {
  const image = join(world.dataDir, 'served', 'hostile.qcow2')
  await run('qemu-img', ['create', '-q', '-f', 'qcow2', '-b', '/etc/passwd', '-F', 'raw', image])
  const web = await serveFiles({ 'hostile.qcow2': { path: image } })
  const asked = { size: '1Gi', source: 'HTTP' as const, image_url: `${web.url}/hostile.qcow2` }
  const refused = await createDisk({ name: 'hostile', ...asked })
  expect(refused).toMatchObject({
    status: 'failed',
    status_message: expect.stringContaining('depends on another file'),
  })
  await page.goto(server.url + diskListPath(engine.project_id))
  await expect(cardOf('hostile')).toContainText('depends on another file')
  expect(await world.left(await rest(owner))).toEqual([])

  // Without the operator's word for it, nothing private is asked at all.
  await server.stop()
  server = await world.start()
  const unasked = await createDisk({ name: 'private', ...asked })
  web.close()
  expect(unasked).toMatchObject({
    status: 'failed',
    status_message: expect.stringMatching(/private|not allowed/i),
  })
  expect(await world.left(await rest(owner))).toEqual([])
  expect(await inEngine('md5sum /root/letter')).toBe(letter)
})

test('deleting the VM and the project leaves nothing of them', async () => {
  expect(await world.left()).not.toEqual([])
  for (const { id } of await owner.list()) await owner.must(vmApi.delete, owner.of(id))
  await expect.poll(owner.list).toEqual([])
  await owner.must(projectApi.delete, { params: owner.params })
  await expect.poll(world.leftOfProjects).toEqual([])
})

/** Null where Debian's `docker-registry` is not installed. */
async function startRegistry(dir: string): Promise<{ host: string; process: ChildProcess } | null> {
  const config = join(dir, 'registry.json')
  const storage = { filesystem: { rootdirectory: join(dir, 'registry') } }
  await writeFile(config, JSON.stringify({ version: '0.1', storage, http: { addr: '127.0.0.1:0' } }))
  const child = spawn('docker-registry', ['serve', config], { stdio: ['ignore', 'ignore', 'pipe'] })
  child.on('error', () => {})
  for await (const line of createInterface(child.stderr)) {
    const [, host] = /listening on (127\.0\.0\.1:\d+)/.exec(line) ?? []
    if (!host) continue
    child.stderr.resume()
    return { host, process: child }
  }
  return null
}
