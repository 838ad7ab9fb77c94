// @module-tag full
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PROJECT_ID, work } from '../engine/engine.test-kit.ts'
import type { Address, Engine, MachineState } from '../engine/engine.ts'
import { growthScript } from '../engine/qemu/guest-growth.ts'
import { processesOf, sshWith } from '../engine/qemu/qemu-engine.test-kit.ts'
import { makeQemuEngine } from '../engine/qemu/qemu-engine.ts'
import { run } from '../lib/command.ts'
import { describeWith } from '../lib/describe-with.test-kit.ts'
import { silentLog } from '../lib/log.ts'
import { buildImage } from './build.ts'
import { cloudImageTools, debianCloudImage } from './cloud-image.test-kit.ts'
import { makeImageStore } from './image-store.ts'
import { serve } from './import.test-kit.ts'
import { makeImporter } from './import.ts'

const GIB = 1024 ** 3
const ROOT_BYTES = 3 * GIB
/** Settings for cloud-init, as their owner would write them. */
const userData = `#cloud-config
users: [default, { name: ada, shell: /bin/bash }]
write_files:
  - { path: /srv/greeting, owner: 'root:root', permissions: '0640', content: "Hällo\\n" }
runcmd:
  - cp /srv/greeting /srv/copied
  - [sh, -c, 'date +%s >> /srv/runs']
`
const tools = [...cloudImageTools, 'qemu-system-x86_64', 'genisoimage', 'setpriv', 'prlimit', 'ssh']

describeWith(tools, 'a Debian cloud image at an address', () => {
  const id = randomUUID()
  let dataDir: string
  let engine: Engine
  let address: Address
  let stopServing: () => void
  let inGuest: (command: string) => Promise<string>

  beforeAll(async () => {
    const image = await readFile(await debianCloudImage())
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-foreign-'))
    const server = await serve((_, response) => {
      response.setHeader('content-length', image.length)
      response.end(image)
    })
    stopServing = server.stop
    engine = await openAt(dataDir)

    const key = join(dataDir, 'key')
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    const sha256 = createHash('sha256').update(image).digest('hex')
    await engine.createMachine({
      id,
      projectId: PROJECT_ID,
      hostname: 'cloudy',
      // The kernel of Debian at times panics while it starts a second processor that is translated.
      cpu: 1,
      memoryMb: 768,
      volumeIds: [],
      persistent: true,
      imageId: `${server.url}/debian.qcow2#sha256=${sha256}`,
      startScript: userData,
      sshPublicKeys: [await readFile(`${key}.pub`, 'utf8')],
    })
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    address = (await until((state) => state.power === 'ready')).address
    const ssh = sshWith(key)
    inGuest = (command) => ssh(address, command)
  })

  afterAll(async () => {
    await engine?.deleteMachine(id)
    await engine?.close()
    stopServing?.()
    for (const dir of [dataDir, savedDir()]) await rm(dir, { recursive: true, force: true })
  })

  const cloudInitIsDone = 'until [ -e /run/cloud-init/result.json ]; do sleep 0.5; done'
  const savedDir = () => `${dataDir}-saved`

  async function openAt(dir: string): Promise<Engine> {
    const importer = makeImporter({
      scratchDir: join(dir, 'imports'),
      policy: { maxImageBytes: GIB, maxVirtualBytes: 4 * GIB, privateSources: ['127.0.0.1'] },
      log: silentLog,
    })
    const images = makeImageStore({
      dir: join(dir, 'images'),
      log: silentLog,
      recipes: [],
      build: (recipe, lower, making) => buildImage(recipe, lower, { importer, mirror: '' }, making),
      inUse: async () => new Set(),
      budgetBytes: Number.POSITIVE_INFINITY,
      rootBytes: ROOT_BYTES,
    })
    const opened = makeQemuEngine({ dataDir: dir, images, importer, log: silentLog })
    await opened.open()
    return opened
  }

  /** Looks until the machine is as it should be; a machine that ends on its way there is told at once. */
  async function until<T extends MachineState>(isAsWanted: (state: MachineState) => state is T): Promise<T> {
    for (;;) {
      const state = await engine.inspect(id)
      if (isAsWanted(state)) return state
      if (state.power !== 'booting' && state.power !== 'ready') throw new Error(JSON.stringify(state))
      await sleep(200)
    }
  }

  test('lets its owner in by the key, under the name of the machine', async () => {
    expect(await inGuest('hostname; passwd --status root | cut -d" " -f2; ls /etc/ssh/ssh_host_*_key')).toBe(
      'cloudy\nL\n/etc/ssh/ssh_host_ed25519_key\n',
    )
  })

  test('takes the whole disk of the machine for its root file system', async () => {
    const [disk, root] = (await inGuest('blockdev --getsize64 /dev/vda; df -B1 --output=size / | tail -n 1'))
      .trim()
      .split('\n')
      .map(Number)
    expect(disk).toBe(ROOT_BYTES)
    expect(root).toBeGreaterThan(ROOT_BYTES * 0.9)
  })

  test('has a larger root disk at once, and as large a partition and file system once it is asked for them', async () => {
    // It brings no agent, so nobody can ask it but its owner; it would do the same at its next boot.
    expect(await engine.growRoot(id, 4 * GIB)).toEqual({ sizeBytes: 4 * GIB, fileSystem: 'next-boot' })
    expect(await inGuest('blockdev --getsize64 /dev/vda')).toBe(`${4 * GIB}\n`)
    for (let time = 0; time < 2; time++) {
      await inGuest(growthScript)
      expect(Number(await inGuest('df -B1 --output=size / | tail -n 1'))).toBeGreaterThan(4 * GIB * 0.9)
    }
  })

  test('has run the user data of its owner, beside what it is given to let its owner in', async () => {
    await inGuest(cloudInitIsDone)
    expect(await inGuest('cat /srv/copied; stat -c %a /srv/greeting; id -un ada; wc -l < /srv/runs')).toBe(
      'Hällo\n640\nada\n1\n',
    )
    // It brings no agent, so nobody can read the result from outside.
    expect(await engine.startScriptResult(id, 'cloud-config')).toMatchObject({
      state: 'unknown',
      reason: expect.stringMatching(/^[A-Z].{20,}\.$/),
    })
  })

  test('finds nothing wrong with its seed, and tells the host that it is up', async () => {
    // What cloud-init complains of, such as user data that its schema forbids, it also writes down there.
    const { v1 }: { v1: Record<string, unknown> } = JSON.parse(
      await inGuest(`${cloudInitIsDone}; cat /run/cloud-init/status.json`),
    )
    expect(v1).toMatchObject({ datasource: expect.stringContaining('NoCloud'), stage: null })
    for (const stage of ['init-local', 'init', 'modules-config', 'modules-final']) {
      expect(v1[stage]).toHaveProperty('errors', [])
      expect(v1[stage]).toHaveProperty('recoverable_errors', {})
    }
    const told = 'finish: modules-final/config-scripts_per_boot: SUCCESS'
    expect(await inGuest(`grep -c "${told}" /var/log/cloud-init.log`)).toBe('1\n')
  })

  test('has a screen that several may look at, and a serial console that shows its start', async () => {
    expect(await engine.hasScreen(id)).toBe(true)
    for (let viewer = 0; viewer < 2; viewer++) {
      const screen = await engine.openScreen(id)
      if (!screen) throw new Error('There is no screen')
      const [greeting] = (await once(screen, 'data')) as [Buffer]
      expect(greeting.toString()).toMatch(/^RFB 003\.\d{3}\n$/)
      screen.destroy()
    }
    const terminal = await engine.openConsole(id)
    const { first, end } = terminal?.extent() ?? { first: 0, end: 0 }
    expect((await terminal?.read(first, end))?.toString()).toMatch(/login:|Linux/)
    terminal?.close()
  })

  test('is up again after it was restarted from within', async () => {
    const boot = () => inGuest('cat /proc/sys/kernel/random/boot_id')
    const first = await boot()
    await inGuest('systemctl reboot')
    await until((state) => state.power === 'booting')
    await until((state) => state.power === 'ready')
    expect(await boot()).not.toBe(first)
    expect(await inGuest('hostname; wc -l < /srv/runs')).toBe('cloudy\n1\n')
    await inGuest('echo kept > /root/kept; sync')
  })

  test('powers off when its power button is pressed', async () => {
    await engine.powerDown(id)
    expect(await until((state) => state.power === 'off')).toMatchObject({ exit: { how: 'asked' } })
    expect(await processesOf(id)).toEqual([])
  })

  test('starts from a backup in another data directory, without the address it came from', async () => {
    const objects = { machines: [id], volumes: [], machineSnapshots: [], volumeSnapshots: [] }
    await mkdir(savedDir(), { mode: 0o700 })
    expect(await engine.saveTo(savedDir(), objects, work())).toEqual(new Map())
    await engine.deleteMachine(id)
    await engine.close()
    stopServing()
    for (const name of ['images', 'machines']) await rm(join(dataDir, name), { recursive: true })

    engine = await openAt(savedDir())
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    address = (await until((state) => state.power === 'ready')).address
    expect(await inGuest('hostname; cat /root/kept')).toBe('cloudy\nkept\n')
  })
})
