import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, symlink, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildImage } from '../../image/build.ts'
import { type ImageStore, makeImageStore, STARTER_IMAGE } from '../../image/image-store.ts'
import { ImportError, type Importer } from '../../image/import.ts'
import { readRecipes } from '../../image/recipe.ts'
import { CommandError, errorCode, run } from '../../lib/command.ts'
import { type Log, silentLog } from '../../lib/log.ts'
import { type EngineHarness, isIn, machineSpec } from '../engine.test-kit.ts'
import type { Address, Engine, MachineSpec, MachineState } from '../engine.ts'
import { imageFilesInUse } from './image-use.ts'
import { makeQemuEngine } from './qemu-engine.ts'

/** Why no real guest can be tested here; undefined where one can. */
export const missing = await run('qemu-system-x86_64', ['--version']).then(
  () => undefined,
  () => 'QEMU is not installed',
)

/** Built once and kept between runs, because building takes longer than all else. */
export const imagesDir = join(tmpdir(), `slipway-test-images-${process.getuid?.() ?? 0}`)

const DEBIAN = 'http://deb.debian.org/debian'

/** What is imported has tests of its own; here nothing is. */
export const importer: Importer = {
  import: () => Promise.reject(new ImportError('Nothing is imported here.')),
  look: () => Promise.reject(new ImportError('Nothing is imported here.')),
}

/** The store of images for tests, shared by all; `dir` for one of their own. Nothing is booted before it counts as ready. */
export async function testImages(dataDir: string, dir = imagesDir): Promise<ImageStore> {
  return makeImageStore({
    dir,
    log: silentLog,
    recipes: await readRecipes(),
    build: (recipe, lower, work) => buildImage(recipe, lower, { importer, mirror: DEBIAN }, work),
    inUse: () => imageFilesInUse(dataDir),
    budgetBytes: Number.POSITIVE_INFINITY,
    rootBytes: 0,
  })
}

/** The engine over those images; what runs guest code on this host is found out once, for all of them. */
export async function testEngine(
  dataDir: string,
  {
    networks = 'off',
    warm = false,
    reserve = 0,
    log = silentLog,
    importer: importing = importer,
  }: {
    networks?: 'off' | 'auto'
    warm?: boolean
    reserve?: number
    log?: Log
    importer?: Importer
  } = {},
): Promise<Engine> {
  await mkdir(imagesDir, { recursive: true })
  const images = await testImages(dataDir)
  const settings = { networks, warm, reserve, reserveLeavesMb: 0 }
  return makeQemuEngine({ dataDir, hostDir: imagesDir, ...settings, images, importer: importing, log })
}

/** A small machine of the starter image. */
export const starterMachine = (hostname: string, more: Partial<MachineSpec> = {}): MachineSpec =>
  machineSpec(hostname, { imageId: STARTER_IMAGE, ...more })

/** Looks until a machine is in that state. */
export async function untilIs<P extends MachineState['power']>(engine: Engine, id: string, power: P) {
  for (let look = 0; look < 15_000; look += 1) {
    const state = await engine.inspect(id)
    if (isIn(state, power)) return state
    await sleep(20)
  }
  throw new Error(`It is ${JSON.stringify(await engine.inspect(id))}`)
}

/**
 * A server of few words, in a process of its own: the script opens an engine and says when it is so far. Resolves then,
 * with what it said.
 */
export async function startServer(script: string, ...args: string[]) {
  const server = spawn(process.execPath, ['--input-type=module', '-e', script, '--', ...args], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  const [said] = await once(server.stdout, 'data')
  return {
    said: String(said),
    async kill(): Promise<void> {
      server.kill('SIGKILL')
      await ended
    },
  }
}

/** `auto`: each project has a network, where this host can have them. */
export async function makeHarness(networks: 'off' | 'auto' = 'off'): Promise<EngineHarness> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-engine-'))
  const { publicKey, ssh } = await makeKey(join(dataDir, 'key'), 'a "hostile\\ comment')
  return {
    async open() {
      const engine = await testEngine(dataDir, { networks })
      await engine.open()
      return engine
    },
    imageId: STARTER_IMAGE,
    sshPublicKey: publicKey,
    pass: (ms) => sleep(ms),
    async happen(machineId, what, address) {
      if (what === 'is killed') await signalGuest(machineId, 'SIGKILL')
      else await ssh(address, what === 'reboots' ? 'reboot' : 'poweroff')
    },
    async work(_, seconds, address) {
      await ssh(address, `timeout ${seconds} sh -c 'while :; do :; done' || true`)
    },
    ssh,
    onThisHost: true,
    sshWithoutKey: (address) =>
      run('ssh', [
        ...sshArgs(address, '-o', 'PubkeyAuthentication=no', '-o', 'NumberOfPasswordPrompts=0'),
        'true',
      ]).then(
        () => 'let in',
        (error: unknown) => (error instanceof CommandError ? error.stderr : String(error)),
      ),
    async traces(machineId) {
      const entries = await readdir(dataDir, { recursive: true })
      return {
        processes: await processesOf(machineId),
        files: entries.filter((entry) => entry.includes(machineId)),
      }
    },
    async damage(what) {
      const [place, id] =
        'volumeId' in what
          ? ['volumes', what.volumeId]
          : 'volumeSnapshotId' in what
            ? ['volume-snapshots', what.volumeSnapshotId]
            : ['snapshots', join(what.machineSnapshotId, 'root')]
      await truncate(join(dataDir, place, `${id}.qcow2`), 'volumeId' in what ? 0 : 300 * 1024)
    },
    async hide(what, hidden) {
      const file =
        'machineId' in what
          ? join('machines', what.machineId, 'machine.json')
          : 'volumeId' in what
            ? join('volumes', `${what.volumeId}.qcow2`)
            : 'volumeSnapshotId' in what
              ? join('volume-snapshots', `${what.volumeSnapshotId}.json`)
              : join('snapshots', what.machineSnapshotId, 'manifest.json')
      const path = join(dataDir, file)
      const aside = join(dataDir, `aside-${basename(path)}`)
      if (hidden) {
        await rename(path, aside)
        // As root every file may be read; one that leads to itself is refused to everybody.
        await symlink(path, path)
      } else {
        await rename(aside, path)
      }
    },
    async unmountVolumes(unmounted) {
      const [volumes, aside] = [join(dataDir, 'volumes'), join(dataDir, 'volumes-aside')]
      if (unmounted) {
        await rename(volumes, aside)
        await mkdir(volumes)
      } else {
        // Fails where something was made in it.
        await rmdir(volumes)
        await rename(aside, volumes)
      }
    },
    cleanUp: () => rm(dataDir, { recursive: true, force: true }),
  }
}

const sshArgs = (address: Address, ...options: string[]) => [
  ...['-p', `${address.port}`, '-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null'],
  ...['-o', 'LogLevel=ERROR', '-o', 'ConnectTimeout=20', ...options, `root@${address.ip}`],
]

/** Every path below a directory, sorted. A start has directories for a moment only: it reads again if one is gone. */
export async function pathsIn(dir: string): Promise<string[]> {
  try {
    return (await readdir(dir, { recursive: true })).sort()
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    return pathsIn(dir)
  }
}

/** Runs commands in guests, signed in with a key. */
export const sshWith = (key: string) => (address: Address, command: string) =>
  run('ssh', [...sshArgs(address, '-i', key, '-o', 'BatchMode=yes'), command], { timeoutMs: 90_000 })

export type SignIn = ReturnType<typeof sshWith>

/** A new pair of keys, the private one in this file, and how to sign in with it. */
export async function makeKey(file: string, comment = '') {
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file])
  return { publicKey: await readFile(`${file}.pub`, 'utf8'), ssh: sshWith(file) }
}

/** Sends a signal to the process of a guest, where it has one. */
export async function signalGuest(machineId: string, name: NodeJS.Signals): Promise<void> {
  for (const pid of await processesOf(machineId)) {
    try {
      process.kill(Number(pid), name)
    } catch (error) {
      // It ended by itself since it was found.
      if (errorCode(error) !== 'ESRCH') throw error
    }
  }
}

/** Ends the guests of all machines below a directory. */
export async function endGuestsIn(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true }).catch(() => [])
  for (const name of names) {
    const [, id] = /(?:^|\/)machines\/([^/]+)$/.exec(name) ?? []
    if (id) await signalGuest(id, 'SIGKILL')
  }
}

/** Ids of the processes that run a machine. */
export async function processesOf(machineId: string): Promise<string[]> {
  const found: string[] = []
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const args = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (args.includes('qemu-system') && args.includes(machineId)) found.push(pid)
  }
  return found
}
