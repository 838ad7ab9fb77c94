/** What a campaign is about; and the server that is alone with its data, on a file system of its own. */
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clear, imagesDir } from '@slipway/e2e/real'
import type { Server } from '@slipway/e2e/server'
import type { Cluster } from './cluster.ts'
import { type Lives, makeLives } from './lives.ts'
import { mountOwnDisk, type OwnDisk } from './own-disk.ts'
import type { EngineName } from './script.ts'
import type { Trouble } from './trouble.ts'
import { kubevirtTruth } from './truth/kubevirt.ts'
import { qemuTruth } from './truth/qemu.ts'
import { simulatedTruth } from './truth/simulated.ts'
import type { Truth } from './truth/truth.ts'

export const operator = { email: 'operator@campaign.example', metricsToken: 'campaign-metrics-token' }

/** What is under test: one server, or several (`fleet.ts`). */
export interface Host {
  engine: EngineName
  /** Where what the engine holds lies: the server's directory, or that of the simulated host of several servers. */
  dataDir: string
  /** Where all calls go: the server, or the balancer in front of several. */
  readonly url: string
  /** Counts the starts, of all servers. */
  readonly life: number
  /** Whether calls should be answered now: a server listens and nobody has stopped it. */
  readonly up: boolean
  /** The servers that are there now. */
  readonly servers: readonly number[]
  /** How many connections of users one of them has, where those move from server to server; else 0. */
  connections: (pid: number) => number
  /** All processes that calls may wait for; of several servers also the database and the simulated host. */
  processes: () => Promise<number[]>
  /** Watches from now on; asked once, it says what happened that excuses calls of that time. */
  watch: () => () => Trouble
  /** What the server takes the time of this host for, in milliseconds since 1970. */
  now: () => number
  /** What the engine really holds. */
  truth: () => Promise<Truth>
  /** How soon what one server stored is told to listeners at another, when the one was killed in between. */
  toldWithinMs: number
  /** Starts all that is down. Throws when it does not come up. */
  start: () => Promise<void>
  /** Of a mail that any server sent. */
  mailedLink: Server['mailedLink']
  takeOutput: Lives['takeOutput']
  /** Ends everything and removes the data. */
  remove: () => Promise<void>
}

export interface OneServer extends Host {
  kind: 'one'
  /** The data directory's file system of its own, which faults may treat as they like; null when there is none. */
  disk: OwnDisk | null
  /** 0 while it is down. */
  readonly pid: number
  /** Whether its process has ended by itself. */
  readonly hasEnded: boolean
  /** Tells the server, running or not yet started, other facts of this host. */
  tell: (told: Partial<Told>) => Promise<void>
  /** For a fault that stops it from answering without ending it. */
  expectSilence: (silent: boolean) => void
  startAndKill: Lives['startAndKill']
  kill: () => Promise<void>
  stop: () => Promise<void>
}

/** What the host is, as far as the server is told something else; see `told.ts`. */
export interface Told {
  /** Added to every look at the clock. */
  clockMs: number
  /** The free memory of the host, at most; null: what it has. */
  freeMb: number | null
}

/** What every server of a campaign is started with. */
export const serverSettings = {
  SLIPWAY_TRUSTED_PROXIES: '127.0.0.1',
  SLIPWAY_ADMINS: operator.email,
  SLIPWAY_METRICS_TOKEN: operator.metricsToken,
  SLIPWAY_PRIVATE_SOURCES: '127.0.0.1',
}

/** Guests' disks are larger than that, but they take only what is written to them. */
const diskSize = { simulated: '256m', qemu: '6g', kubevirt: '256m' }

export async function makeHost(
  engine: EngineName,
  settings: Record<string, string>,
  /** Of the engine `kubevirt`. */
  cluster: Cluster | null = null,
): Promise<OneServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'slipway-campaign-'))
  const disk = await mountOwnDisk(dataDir, diskSize[engine])
  const told: Told = { clockMs: 0, freeMb: null }
  const toldFile = `${dataDir}.told`
  await writeFile(toldFile, JSON.stringify(told))
  if (engine === 'qemu') {
    await mkdir(imagesDir, { recursive: true })
    await symlink(imagesDir, join(dataDir, 'images'))
  }
  const lives = makeLives(dataDir, {
    ...serverSettings,
    SLIPWAY_ENGINE: engine,
    NODE_OPTIONS: `--import=${import.meta.resolve('./told.ts')}`,
    CAMPAIGN_TOLD: toldFile,
    ...cluster?.settings,
    ...settings,
  })
  /** No set clock changes the time of the simulated world while the server runs. */
  let clockMsAtStart = 0
  let silent = false

  const host: OneServer = {
    kind: 'one',
    engine,
    dataDir,
    disk,
    get url() {
      return lives.server?.url ?? 'http://127.0.0.1:9'
    },
    get pid() {
      return lives.server?.pid ?? 0
    },
    get life() {
      return lives.count
    },
    get up() {
      return lives.server !== null && !silent
    },
    get servers() {
      return lives.server ? [lives.server.pid] : []
    },
    connections: () => 0,
    processes: async () => [...host.servers],
    watch() {
      const before = lives.count
      return () => (host.up && lives.count === before ? 'none' : 'down')
    },
    expectSilence(expected) {
      silent = expected
    },
    get hasEnded() {
      return lives.hasEnded
    },
    now: () => Date.now() + told.clockMs,
    async truth() {
      if (cluster) return kubevirtTruth(await cluster.objects(), cluster.prefix)
      return engine === 'qemu' ? qemuTruth(dataDir) : simulatedTruth(dataDir, Date.now() + clockMsAtStart)
    },
    toldWithinMs: 0,
    async tell(news) {
      Object.assign(told, news)
      // In one step: half a text would be none.
      await writeFile(`${toldFile}.new`, JSON.stringify(told))
      await rename(`${toldFile}.new`, toldFile)
      // It is read every 100 ms.
      await sleep(500)
    },
    async start() {
      if (lives.server) return
      clockMsAtStart = told.clockMs
      await lives.start()
    },
    startAndKill: lives.startAndKill,
    kill: () => lives.end('kill'),
    stop: () => lives.end('stop'),
    async mailedLink(address, page) {
      if (!lives.server) throw new Error('The server is down')
      return lives.server.mailedLink(address, page)
    },
    takeOutput: lives.takeOutput,
    async remove() {
      await lives.end('kill')
      await clear(dataDir).catch((error: unknown) => {
        // Nobody removes what is mounted; its content is gone.
        if (!disk) throw error
      })
      await disk?.remove()
      await cluster?.remove()
      for (const path of [dataDir, toldFile]) await rm(path, { recursive: true, force: true })
    },
  }
  return host
}
