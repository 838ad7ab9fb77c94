/** The table of faults: how often each is dealt, where it can be, and what it does to the server or its host. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Random } from '@slipway/e2e/random'
import { guestsOf } from '@slipway/e2e/real'
import type { Host } from './host.ts'
import { attackFrom, type Reachable } from './hostile-guest.ts'
import type { Script } from './script.ts'
import { openDescriptors } from './truth.ts'

const run = promisify(execFile)

export interface Fault {
  name: string
  weight: number
  engines: readonly Script['engine'][]
  /** Why it cannot be dealt here; null when it can. */
  missing?: (host: Host) => string | null
  /** Whether it may make objects fail, with a reason. */
  harsh: boolean
  /**
   * Injects it, lets it last, and heals it. The users go on meanwhile.
   *
   * @param guests the guests that can be reached now
   */
  deal: (host: Host, random: Random, guests: () => Promise<Reachable[]>) => Promise<void>
}

const both = ['simulated', 'qemu'] as const
const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'

/** A start that may be refused, as long as it is with a sentence. */
async function mayStart(host: Host, environment: Record<string, string> = {}): Promise<void> {
  await host.start(environment).catch(() => {})
}

async function fill(host: Host): Promise<string> {
  const path = join(host.dataDir, 'filler')
  const file = await open(path, 'w')
  const block = Buffer.alloc(1024 * 1024)
  try {
    for (let size = block.length; size >= 1; size = Math.floor(size / 2))
      while ((await file.write(block, 0, size)).bytesWritten === size);
  } catch {
    // Full, which is what was wanted.
  }
  await file.close()
  return path
}

/** Files of the data directory that hold the objects of users; the database has a copy nowhere, so it is left out. */
async function filesToDamage(host: Host): Promise<string[]> {
  const names = await readdir(host.dataDir, { recursive: true })
  const wanted = /(^simulated\.jsonl|\.json|machines\/[^/]+\/root\.qcow2|volumes\/[^/]+\.qcow2)$/
  const paths: string[] = []
  for (const name of names.filter((one) => wanted.test(one) && !one.startsWith('images/'))) {
    const path = join(host.dataDir, name)
    if ((await stat(path).catch(() => null))?.isFile()) paths.push(path)
  }
  return paths
}

/** Empty, garbage, a directory in its place, and torn: the last one must stay the last. */
const damages: ((path: string, kept: string) => Promise<void>)[] = [
  (path) => writeFile(path, ''),
  (path) => writeFile(path, '\0\0garbage{'),
  async (path) => {
    await mkdir(path)
  },
  async (path, kept) => {
    const file = await open(kept)
    const { size } = await file.stat()
    const { buffer } = await file.read(Buffer.alloc(Math.min(4_096, Math.floor(size / 2))))
    await file.close()
    await writeFile(path, buffer)
  },
]

/** Processes that the server has started and that are named so. */
async function childrenOf(pid: number, name: RegExp): Promise<number[]> {
  const found: number[] = []
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    const text = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '')
    const [, program = '', parent] = /^\d+ \((.*)\) \S (\d+)/.exec(text) ?? []
    if (Number(parent) === pid && name.test(program)) found.push(Number(entry))
  }
  return found
}

/** Sends a signal to a process that may have ended by itself. */
function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (!pid) return
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

const forQemu: Fault[] = [
  {
    name: 'kill-qemu',
    weight: 3,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      signal(random.pick(await guestsOf(host.dataDir))?.pid, 'SIGKILL')
    },
  },
  {
    name: 'freeze-qemu',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      const guest = random.pick(await guestsOf(host.dataDir))
      signal(guest?.pid, 'SIGSTOP')
      await sleep(5_000 + random.below(20_000))
      signal(guest?.pid, 'SIGCONT')
    },
  },
  {
    name: 'kill-copy',
    weight: 2,
    engines: ['qemu'],
    harsh: true,
    async deal(host, random) {
      for (let tries = 0; tries < 100; tries++) {
        const pid = random.pick(await childrenOf(host.pid, /^qemu-img|^qemu-storage|^mmdebstrap/))
        if (pid) return signal(pid, 'SIGKILL')
        await sleep(50)
      }
    },
  },
  {
    name: 'hostile-guest',
    weight: 3,
    engines: ['qemu'],
    harsh: true,
    async deal(_host, random, guests) {
      const guest = random.pick(await guests())
      if (guest) await attackFrom(guest)
    },
  },
  {
    name: 'flush-firewall',
    weight: 1,
    engines: ['qemu'],
    harsh: false,
    missing: () => (process.getuid?.() === 0 ? null : 'only root has a firewall'),
    async deal() {
      // Only Slipway's table; a reload of the host's rules would take others along.
      await run('nft', ['delete', 'table', 'inet', 'slipway']).catch(() => {})
    },
  },
]

const everywhere: Fault[] = [
  {
    name: 'kill-server',
    weight: 8,
    engines: both,
    harsh: false,
    async deal(host) {
      await host.kill()
      await host.start()
    },
  },
  {
    name: 'kill-at-start',
    weight: 3,
    engines: both,
    harsh: false,
    async deal(host, random) {
      await host.kill()
      for (let times = 1 + random.below(3); times > 0; times--)
        await host.startAndKill(100 + random.below(2_000))
      await host.start()
    },
  },
  {
    name: 'stop-server',
    weight: 1,
    engines: both,
    harsh: false,
    async deal(host) {
      await host.stop()
      await host.start()
    },
  },
  {
    name: 'freeze-server',
    weight: 1,
    engines: both,
    harsh: false,
    async deal(host, random) {
      const { pid } = host
      host.expectSilence(true)
      signal(pid, 'SIGSTOP')
      await sleep(500 + random.below(4_000))
      signal(pid, 'SIGCONT')
      await sleep(500)
      host.expectSilence(false)
    },
  },
  {
    name: 'full-disk',
    weight: 2,
    engines: both,
    harsh: true,
    missing: ({ mounted }) => (mounted ? null : 'only root can mount a small file system'),
    async deal(host, random) {
      const filler = await fill(host)
      await sleep(1_000 + random.below(4_000))
      await rm(filler)
    },
  },
  {
    name: 'full-disk-at-start',
    weight: 1,
    engines: both,
    harsh: true,
    missing: ({ mounted }) => (mounted ? null : 'only root can mount a small file system'),
    async deal(host) {
      await host.kill()
      const filler = await fill(host)
      await mayStart(host)
      await sleep(1_000)
      await host.kill()
      await rm(filler)
      await host.start()
    },
  },
  {
    name: 'read-only-at-start',
    weight: 1,
    engines: ['simulated'],
    harsh: true,
    missing: ({ mounted }) => (mounted ? null : 'only root can mount a small file system'),
    async deal(host) {
      await host.kill()
      await run('mount', ['-o', 'remount,ro', host.dataDir])
      await mayStart(host)
      await sleep(500)
      await host.kill()
      await run('mount', ['-o', 'remount,rw', host.dataDir])
      await host.start()
    },
  },
  {
    name: 'damaged-file',
    weight: 3,
    engines: both,
    harsh: true,
    async deal(host, random) {
      // What users did meanwhile would be undone when the file is put back.
      host.expectSilence(true)
      await host.kill()
      const path = random.pick(await filesToDamage(host))
      if (path) {
        const kept = `${path}.kept-by-campaign`
        await rename(path, kept)
        // Half of a list of lines is a shorter list: nobody could see the damage.
        await random.pick(damages.slice(0, path.endsWith('.jsonl') ? 3 : 4))?.(path, kept)
        await mayStart(host)
        await sleep(2_000)
        await host.kill()
        await rm(path, { recursive: true, force: true })
        await rename(kept, path)
      }
      await host.start()
      host.expectSilence(false)
    },
  },
  {
    name: 'clock-step',
    weight: 1,
    engines: ['simulated'],
    harsh: false,
    missing: () => (existsSync(faketime) ? null : "Debian's package faketime is not installed"),
    async deal(host) {
      await host.kill()
      await mayStart(host, {
        LD_PRELOAD: faketime,
        FAKETIME: '+400d',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        FAKETIME_DONT_RESET: '1',
      })
      await sleep(3_000)
      await host.kill()
      await host.start()
    },
  },
  {
    name: 'few-descriptors',
    weight: 1,
    engines: both,
    harsh: true,
    async deal(host, random) {
      const { pid } = host
      const spare = random.below(8)
      const limits = await readFile(`/proc/${pid}/limits`, 'utf8')
      const before = /^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? '1024'
      host.expectSilence(true)
      await run('prlimit', ['--pid', `${pid}`, `--nofile=${(await openDescriptors(pid)) + spare}:`])
      await sleep(1_000 + random.below(3_000))
      await run('prlimit', ['--pid', `${pid}`, `--nofile=${before}:`])
      await sleep(500)
      host.expectSilence(false)
    },
  },
]

export const faults: readonly Fault[] = [...everywhere, ...forQemu]
