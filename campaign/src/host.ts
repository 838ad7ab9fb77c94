/** The server under test, which faults stop and start again, on a file system of its own. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { clear, imagesDir } from '@slipway/e2e/real'
import { type Server, startServer } from '@slipway/e2e/server'
import type { Script } from './script.ts'

const run = promisify(execFile)

export const operator = { email: 'operator@campaign.example', metricsToken: 'campaign-metrics-token' }

export interface Host {
  engine: Script['engine']
  dataDir: string
  /** Whether the data directory is a file system of its own, which may be filled. */
  mounted: boolean
  readonly url: string
  /** 0 while it is down. */
  readonly pid: number
  /** Counts the starts. */
  readonly life: number
  /** Whether it should answer now: it listens and nobody has stopped it. */
  readonly up: boolean
  /** For a fault that stops it from answering without ending it. */
  expectSilence: (silent: boolean) => void
  /** Starts it with more environment; throws when it does not come up. */
  start: (environment?: Record<string, string>) => Promise<void>
  /** Starts it and kills it after so many milliseconds, ready or not. */
  startAndKill: (afterMs: number) => Promise<void>
  kill: () => Promise<void>
  stop: () => Promise<void>
  mailedLink: Server['mailedLink']
  /** What all lives printed since this was asked last. */
  takeOutput: () => string
  /** Ends everything and removes the data. */
  remove: () => Promise<void>
}

/** Mounts a small file system where that is allowed. */
async function mount(dir: string, engine: Script['engine']): Promise<boolean> {
  if (process.getuid?.() !== 0) return false
  // Guests' disks are larger, but they take only what is written to them.
  const size = engine === 'simulated' ? '256m' : '6g'
  return run('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'slipway-campaign', dir]).then(
    () => true,
    () => false,
  )
}

export async function makeHost(engine: Script['engine'], settings: Record<string, string>): Promise<Host> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-campaign-'))
  const mounted = await mount(dataDir, engine)
  if (engine === 'qemu') {
    await mkdir(imagesDir, { recursive: true })
    await symlink(imagesDir, join(dataDir, 'images'))
  }
  const ownSettings = {
    SLIPWAY_ENGINE: engine,
    SLIPWAY_TRUSTED_PROXIES: '127.0.0.1',
    SLIPWAY_ADMINS: operator.email,
    SLIPWAY_METRICS_TOKEN: operator.metricsToken,
    SLIPWAY_PRIVATE_SOURCES: '127.0.0.1',
    ...settings,
  }
  let server: Server | null = null
  let life = 0
  let silent = false
  let output = ''
  let taken = 0

  async function end(how: 'kill' | 'stop'): Promise<void> {
    const ending = server
    if (!ending) return
    server = null
    await ending[how]()
    output += ending.output().slice(taken)
    taken = 0
  }
  return {
    engine,
    dataDir,
    mounted,
    get url() {
      return server?.url ?? 'http://127.0.0.1:9'
    },
    get pid() {
      return server?.pid ?? 0
    },
    get life() {
      return life
    },
    get up() {
      return server !== null && !silent
    },
    expectSilence(expected) {
      silent = expected
    },
    async start(environment = {}) {
      if (server) return
      server = await startServer({ ...ownSettings, ...environment }, dataDir)
      life++
    },
    async startAndKill(afterMs) {
      const started = startServer(ownSettings, dataDir, AbortSignal.timeout(afterMs))
      // It was killed before it was ready, or it is now.
      await started.then(
        (early) => early.kill(),
        () => {},
      )
    },
    kill: () => end('kill'),
    stop: () => end('stop'),
    mailedLink(address, page) {
      if (!server) throw new Error('The server is down')
      return server.mailedLink(address, page)
    },
    takeOutput() {
      const printed = server?.output() ?? ''
      const fresh = output + printed.slice(taken)
      output = ''
      taken = printed.length
      return fresh
    },
    async remove() {
      await end('kill')
      if (mounted) {
        await clear(dataDir).catch(() => {})
        await run('umount', ['-l', dataDir])
        await rm(dataDir, { recursive: true, force: true })
      } else await clear(dataDir)
    },
  }
}
