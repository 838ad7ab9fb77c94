// @module-tag full
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startScriptApi, templateApi, type Vm, vmApi } from '@slipway/contract'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { makeTestAppOver, type TestAppOptions, withoutBin } from './app.test-kit.ts'
import { restoreBackup } from './backup/restore.ts'
import { writeBackup } from './backup/write.ts'
import { askGuest, dataDiskSizes, sizesOfDataDisks } from './bootable-disk.test-kit.ts'
import { readConfig } from './config.ts'
import { openDeskAt } from './desk.test-kit.ts'
import { work } from './engine/engine.test-kit.ts'
import { isMachineId } from './engine/qemu/machine-dir.ts'
import { endGuestsIn, imagesDir, missing, sshWith } from './engine/qemu/qemu-engine.test-kit.ts'
import { makeBootableDisk } from './image/bootable-disk.ts'
import { type Recipe, readRecipes, templatesOf } from './image/recipe.ts'
import { systemClock } from './lib/clock.ts'
import { run } from './lib/command.ts'
import type { Log } from './lib/log.ts'
import { qemuFor } from './qemu.ts'

/** A template of few bytes that has something of every kind a recipe may hold but npm. */
const tiny = {
  recipe: {
    kind: 'layer',
    name: 'Tiny',
    revision: 1,
    place: 20,
    extends: 'base',
    packages: ['figlet'],
    npm: [],
    template: { description: 'Large letters', cpu: 2, memoryMb: 512 },
  },
  build: 'set -eu\nfiglet ok > /root/built\nln -s built /root/link\nrm /etc/motd\n',
  check: 'set -eu\nfiglet checked\ntest -s /root/built\n',
}

/** A start script as people write them for Debian: a program in bash. */
const userData = `#!/bin/bash
words=(Debian $(</etc/debian_version))
echo "$words as $(id -un)" | tee -a /root/told
`

/** Processes that work in a directory or name it, but for us. */
async function processesIn(dir: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (args.includes(dir)) found.push(args.replaceAll('\0', ' '))
  }
  return found
}

/** What the guests of a data directory wrote last, for whoever reads why they did not come up. */
async function lastWordsIn(dataDir: string): Promise<string[]> {
  const machines = join(dataDir, 'machines')
  const ids = await readdir(machines).catch(() => [])
  return Promise.all(
    ids.map(async (id) => {
      const read = (name: string) => readFile(join(machines, id, name), 'utf8').catch(() => '')
      return `${id}: ${JSON.stringify([(await read('qemu.log')).slice(-300), (await read('serial.log')).slice(-800)])}`
    }),
  )
}

describe.skipIf(missing !== undefined)('images that are built on this machine', () => {
  let dataDir: string
  let images: string
  let key: string
  const told: string[] = []
  const opened: (() => Promise<void>)[] = []
  /** What waiting VMs said. A second try finds images that were built, so it goes by what the first was told. */
  const messages = new Set<string>()

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-built-'))
    images = join(dataDir, 'images')
    key = join(dataDir, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const own = join(dataDir, 'recipes', 'tiny')
    await mkdir(join(own, 'root/srv'), { recursive: true })
    await writeFile(join(own, 'recipe.json'), JSON.stringify(tiny.recipe))
    await writeFile(join(own, 'build.sh'), tiny.build)
    await writeFile(join(own, 'check.sh'), tiny.check)
    await writeFile(join(own, 'root/srv/hello'), 'from the recipe\n')
    // The probe of accelerators wants a kernel, and most tests have it already.
    await mkdir(join(images, 'files'), { recursive: true })
    await cp(imagesDir, images, { recursive: true, filter: (path) => !/\/work-|base/.test(path) }).catch(
      () => {},
    )
    await cp(join(imagesDir, 'accelerator.json'), join(dataDir, 'accelerator.json')).catch(() => {})
  })
  afterAll(async () => {
    for (const dir of [dataDir, `${dataDir}-elsewhere`]) {
      // Guests of a test that failed: they would take the processor from all that come after.
      await endGuestsIn(dir)
      await rm(dir, { recursive: true, force: true })
    }
  })

  test('a build that is killed leaves nothing that runs, and the next process clears what it wrote', async () => {
    const program = fileURLToPath(new URL('images.ts', import.meta.url))
    const env = { ...process.env, SLIPWAY_DATA_DIR: dataDir }
    const child = spawn(process.execPath, [program, 'base'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const chunk of child.stdout) {
      output += String(chunk)
      if (/Building the Debian 13 image: \d+ %/.test(output)) break
    }
    expect((await readdir(images)).filter((name) => name.startsWith('work-'))).toHaveLength(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await expect.poll(() => processesIn(dataDir)).toEqual([])
  })

  test('two VMs that wait for an image cause one build, and find in it what its recipe promises', async () => {
    const log = pino({ level: 'info' }, { write: (line: string) => void told.push(line) })
    const recipes = [...(await readRecipes()), ...(await readRecipes(join(dataDir, 'recipes')))]
    // A second try begins with nothing but the images: what the first one left would take the processor from it.
    for (const close of opened.splice(0)) await close().catch(() => {})
    for (const dir of [dataDir, elsewhere()]) await endGuestsIn(dir)
    // The directory itself is known to this installation: without it nothing could be said of any machine.
    for (const name of await readdir(join(dataDir, 'machines')).catch(() => []))
      if (isMachineId(name)) await rm(join(dataDir, 'machines', name), { recursive: true })
    await rm(elsewhere(), { recursive: true, force: true })
    await mkdir(elsewhere())
    // The last part of the first try removes the images, so that they are built once more.
    if (!existsSync(join(images, 'tiny.json'))) {
      told.length = 0
      messages.clear()
    }
    const database = { file: elsewhere('slipway.sqlite') }
    const { app, engine } = await openApp(dataDir, recipes, log, { database })
    expect((await readdir(images)).filter((name) => name.startsWith('work-'))).toEqual([])

    const desk = await openDeskAt(app, () => sleep(100), await readFile(`${key}.pub`, 'utf8'))
    const create = async (name: string, template_id = 'tiny'): Promise<Vm> => {
      const body = { name, template_id, ssh_key_id: desk.keyId, start_script: userData }
      return (await desk.ada.call(vmApi.create, { params: desk.params, body })).body
    }
    const vms = await Promise.all(['left', 'right'].map((name) => create(name)))
    const now = (id: string) => desk.vm(id)
    const isUp = async (id: string) => {
      for (let vm = await now(id); vm.status !== 'running'; vm = await now(id)) {
        const error = told.findLast((line) => line.includes('"level":50'))
        if (vm.status === 'failed')
          throw new Error([vm.status_message, error, ...(await lastWordsIn(dataDir))].join('\n'))
        messages.add(vm.status_message ?? '')
        await sleep(200)
      }
    }
    for (const { id } of vms) await isUp(id)
    const said = [...messages].join('\n')
    expect(said).toMatch(/^Building the Debian 13 image: \d+ %\.$/m)
    expect(said).toMatch(/^Building the Tiny image: \d+ %\.$/m)
    for (const what of ['Building the Debian 13 image', 'Building the Tiny image']) {
      expect(told.filter((line) => line.includes(`"msg":"${what}"`))).toHaveLength(1)
    }
    expect((await desk.ada.call(templateApi.list)).body.find(({ id }) => id === 'tiny')?.image.state).toBe(
      'ready',
    )

    // On a busy host a whole Debian may greet later than a client waits for.
    const ssh = (...of: Parameters<ReturnType<typeof sshWith>>) =>
      vi.waitFor(() => sshWith(key)(...of), patience)
    for (const { id, name } of vms) {
      const { ip_address, ssh_port } = await now(id)
      const inGuest = async (command: string) =>
        (await ssh({ ip: ip_address ?? '', port: ssh_port }, command)).trim()
      expect(await inGuest('hostname')).toBe(name)
      expect(await inGuest('figlet -v | head -n 1')).toMatch(/FIGlet/)
      expect(await inGuest('cat /srv/hello /root/link | head -n 1')).toBe('from the recipe')
      expect(await inGuest('ls -l /root/link')).toContain('-> built')
      expect(await inGuest('ls /etc/motd 2>/dev/null || echo gone')).toBe('gone')
      // What the template says of processors and memory, and a root file system as large as its disk.
      expect(await inGuest('nproc')).toBe('2')
      const memoryMb = Number(await inGuest("awk '/MemTotal/ { print int($2 / 1024) }' /proc/meminfo"))
      expect(memoryMb).toBeGreaterThan(440)
      expect(memoryMb).toBeLessThanOrEqual(512)
      expect(Number(await inGuest("df -BG --output=size / | tail -n 1 | tr -dc '0-9'"))).toBeGreaterThan(18)
      const readScript = () => desk.ada.call(startScriptApi.get, { params: { ...desk.params, vmId: id } })
      await expect
        .poll(async () => (await readScript()).body, patience)
        .toMatchObject({
          state: 'succeeded',
          exit_code: 0,
          output: 'Debian as root\n',
        })
      expect(await inGuest('cat /root/told')).toBe('Debian as root')
      expect(await inGuest('dpkg --audit && systemctl is-active ssh')).toBe('active')
    }

    const manifest = JSON.parse(await readFile(join(images, 'tiny.json'), 'utf8'))
    const { blocks } = await stat(join(images, 'files', manifest.files.disk.sha256))
    expect(blocks * 512).toBeLessThan(64 * 1024 ** 2)
    // As a cluster starts it: from one disk, whose file system grows with it, and with data disks by SCSI.
    const { images: store } = qemuFor(configOf(dataDir), recipes, log)
    const workDir = await mkdtemp(join(dataDir, 'bootable-'))
    const { signal } = new AbortController()
    const { path: disk, virtualBytes } = await makeBootableDisk(await store.use('tiny'), { workDir, signal })
    const [alone, larger] = [
      { disk, workDir, hostname: 'alone', memoryMb: 512 },
      virtualBytes + 4 * 1024 ** 3,
    ]
    const answer = await askGuest(
      { ...alone, sizeBytes: larger },
      `hostname; ${sizesOfDataDisks}; head -n 1 /srv/hello; df -B1 --output=size / | tail -n 1; systemctl --failed --no-legend --no-pager`,
    )
    const [itsName, early, late, hello, size, ...failed] = answer.split('\n')
    expect([early, late]).toEqual(dataDiskSizes)
    expect([itsName, hello, failed]).toEqual(['alone', 'from the recipe', []])
    expect(Number(size)).toBeGreaterThan(virtualBytes)

    // One that boots the image itself, one that boots a layer over it: both are the same after a restore elsewhere.
    await desk.deleteVm(vms[1]?.id ?? '')
    const kept = [vms[0], await create('under', 'base')].filter((vm) => vm !== undefined)
    for (const { id } of kept) await isUp(id)
    for (const { id, name } of kept) {
      const { ip_address, ssh_port } = await now(id)
      await ssh({ ip: ip_address ?? '', port: ssh_port }, `echo of ${name} > /root/kept; sync`)
    }
    const saved = await writeBackup({ dataDir, database, engine }, elsewhere('backup'), work())
    expect(saved.left_out).toEqual([])
    for (const { id } of kept) await desk.deleteVm(id)
    await expect.poll(async () => (await engine.list()).size).toBe(0)
    await app.close()
    await engine.close()
    expect(await processesIn(dataDir)).toEqual([])
    await rm(images, { recursive: true })

    const second = { file: elsewhere('second', 'slipway.sqlite') }
    const target = { dataDir: elsewhere('second'), database: second, engine: 'qemu' as const }
    await restoreBackup(elsewhere('backup'), target, new AbortController().signal)
    const again = await openApp(elsewhere('second'), recipes, log, { database: second })
    for (const { id, name } of kept) {
      // Wanted on, it comes again by itself.
      await expect.poll(() => again.engine.inspect(id), patience).toMatchObject({ power: 'ready' })
      const there = await again.engine.inspect(id)
      if (there.power !== 'ready') throw new Error(JSON.stringify(there))
      expect(await ssh(there.address, 'hostname; cat /root/kept')).toBe(`${name}\nof ${name}\n`)
      await again.engine.deleteMachine(id)
    }
    await again.app.close()
    await again.engine.close()
    expect(await processesIn(elsewhere('second'))).toEqual([])
  })

  /** Beside the data directory. */
  const elsewhere = (...names: string[]) => join(`${dataDir}-elsewhere`, ...names)

  /** Guests that are frozen in the background would take the processor from those that are built. */
  const configOf = (dir: string) => readConfig({ SLIPWAY_DATA_DIR: dir, SLIPWAY_WARM: 'off' })

  async function openApp(dir: string, recipes: Recipe[], log: Log, options: TestAppOptions) {
    const { engine } = qemuFor(configOf(dir), recipes, log)
    await engine.open()
    const app = await makeTestAppOver(
      { clock: systemClock, engine, passTime: async () => {} },
      { ...withoutBin, ...options, templates: templatesOf(recipes), startsAtOnce: 2 },
    )
    opened.push(app.close, engine.close)
    return { app, engine }
  }
})

/** For a guest to come up, without hardware acceleration and beside other tests. */
const patience = { timeout: 300_000, interval: 500 }
