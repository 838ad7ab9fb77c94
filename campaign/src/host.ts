/** The server under test, which faults stop and start again, on a file system of its own. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clear, imagesDir } from '@slipway/e2e/real'
import { type Server, startServer } from '@slipway/e2e/server'
import { mountOwnDisk, type OwnDisk } from './own-disk.ts'
import type { Script } from './script.ts'

export const operator = { email: 'operator@campaign.example', metricsToken: 'campaign-metrics-token' }

export interface Host {
  engine: Script['engine']
  dataDir: string
  /** The data directory's file system of its own, which faults may treat as they like; null when there is none. */
  disk: OwnDisk | null
  readonly url: string
  /** 0 while it is down. */
  readonly pid: number
  /** Counts the starts. */
  readonly life: number
  /** Whether it should answer now: it listens and nobody has stopped it. */
  readonly up: boolean
  /** Whether its process has ended by itself. */
  readonly hasEnded: boolean
  /** What the server takes the time of this host for, in milliseconds since 1970. */
  now: () => number
  /** The time of the simulated world, which no set clock changes while the server runs. */
  simulatedNow: () => number
  /** Tells the server, running or not yet started, other facts of this host. */
  tell: (told: Partial<Told>) => Promise<void>
  /** For a fault that stops it from answering without ending it. */
  expectSilence: (silent: boolean) => void
  /** Throws when it does not come up. */
  start: () => Promise<void>
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

/** What the host is, as far as the server is told something else; see `told.ts`. */
export interface Told {
  /** Added to every look at the clock. */
  clockMs: number
  /** The free memory of the host, at most; null: what it has. */
  freeMb: number | null
}

/** Guests' disks are larger than that, but they take only what is written to them. */
const diskSize = { simulated: '256m', qemu: '6g' }

export async function makeHost(engine: Script['engine'], settings: Record<string, string>): Promise<Host> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-campaign-'))
  const disk = await mountOwnDisk(dataDir, diskSize[engine])
  const told: Told = { clockMs: 0, freeMb: null }
  const toldFile = `${dataDir}.told`
  await writeFile(toldFile, JSON.stringify(told))
  if (engine === 'qemu') {
    await mkdir(imagesDir, { recursive: true })
    await symlink(imagesDir, join(dataDir, 'images'))
  }
  const ownSettings = {
    SLIPWAY_ENGINE: engine,
    NODE_OPTIONS: `--import=${import.meta.resolve('./told.ts')}`,
    CAMPAIGN_TOLD: toldFile,
    SLIPWAY_TRUSTED_PROXIES: '127.0.0.1',
    SLIPWAY_ADMINS: operator.email,
    SLIPWAY_METRICS_TOKEN: operator.metricsToken,
    SLIPWAY_PRIVATE_SOURCES: '127.0.0.1',
    ...settings,
  }
  let server: Server | null = null
  let life = 0
  let clockMsAtStart = 0
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
    disk,
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
    get hasEnded() {
      return server !== null && !existsSync(`/proc/${server.pid}`)
    },
    now: () => Date.now() + told.clockMs,
    simulatedNow: () => Date.now() + clockMsAtStart,
    async tell(news) {
      Object.assign(told, news)
      // In one step: half a text would be none.
      await writeFile(`${toldFile}.new`, JSON.stringify(told))
      await rename(`${toldFile}.new`, toldFile)
      // It is read every 100 ms.
      await sleep(500)
    },
    async start() {
      if (server) return
      clockMsAtStart = told.clockMs
      server = await startServer(ownSettings, dataDir)
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
    async mailedLink(address, page) {
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
      await clear(dataDir).catch((error: unknown) => {
        // Nobody removes what is mounted; its content is gone.
        if (!disk) throw error
      })
      await disk?.remove()
      for (const path of [dataDir, toldFile]) await rm(path, { recursive: true, force: true })
    },
  }
}
