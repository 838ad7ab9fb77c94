/**
 * Several servers on one PostgreSQL and one simulated world or cluster, with a balancer in front: each connection goes to any of
 * them, so what is done at one must be true at all.
 */
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostApi } from '@slipway/contract'
import { type Postgres, startPostgres } from '@slipway/e2e/postgres'
import { makeRandom } from '@slipway/e2e/random'
import { balance } from './balancer.ts'
import { type Beside, besideCluster, besideSimulated } from './beside.ts'
import type { Cluster } from './cluster.ts'
import { processOf } from './holder.ts'
import { type Host, serverSettings } from './host.ts'
import { type Lives, makeLives } from './lives.ts'
import { makeTroubles } from './trouble.ts'
import { kubevirtTruth } from './truth/kubevirt.ts'
import { simulatedTruth } from './truth/simulated.ts'

/** One of the servers. */
export interface Member {
  lives: Lives
  /** It stands still, and the balancer has noticed. */
  isLeftOut: boolean
}

export interface Fleet extends Host {
  kind: 'several'
  members: readonly Member[]
  postgres: Postgres
  beside: Beside
  /** What excuses calls from now on, until the function is called that it returns. */
  trouble: ReturnType<typeof makeTroubles>['begin']
  /** The server that drives, but not `other`; waits until there is one. Throws when nobody does for too long. */
  driver: (other?: Member) => Promise<Member>
  /** Waits until every server that is there can read its database. Throws when one cannot for too long. */
  answers: () => Promise<void>
  /** Milliseconds from the end of a server that drove until another one did. */
  takeovers: number[]
}

/** Waits for all, so that nothing goes on behind the back of whoever hears that one has failed. */
export async function allOf(all: readonly Promise<void>[]): Promise<void> {
  for (const end of await Promise.allSettled(all)) if (end.status === 'rejected') throw end.reason
}

/** A lease has a term of 6 s, and who watches it looks every second: after that nobody may be waited for. */
const takesOverWithinMs = 12_000
const answersWithinMs = 12_000
const lookMs = 100

export async function makeFleet(options: {
  servers: number
  seed: number
  /** How fast the simulated world is. */
  speed: string
  /** Null: the simulated world. */
  cluster: Cluster | null
}): Promise<Fleet> {
  const postgres = await startPostgres()
  const dir = await mkdtemp(join(tmpdir(), 'slipway-campaign-'))
  const dataDir = join(dir, 'world')
  const { cluster } = options
  await mkdir(dataDir, { mode: 0o700 })
  const beside = cluster ? besideCluster(dataDir, cluster) : besideSimulated(dataDir, options.speed)
  await beside.start()
  const outbox = join(dir, 'outbox')
  await mkdir(outbox, { mode: 0o700 })
  const members: Member[] = []
  for (let n = 1; n <= options.servers; n++) {
    const own = join(dir, `server-${n}`)
    await mkdir(own, { mode: 0o700 })
    // Whoever waits for a mail does not care which server sent it.
    await symlink(outbox, join(own, 'outbox'))
    const settings = {
      ...serverSettings,
      SLIPWAY_DATABASE_URL: postgres.url,
      ...beside.settings(),
    }
    members.push({ lives: makeLives(own, settings), isLeftOut: false })
  }
  const random = makeRandom(options.seed)
  const there = () => members.filter(({ lives }) => lives.server !== null)
  const balancer = await balance(
    () => random.pick(there().filter(({ isLeftOut }) => !isLeftOut))?.lives.server?.url ?? null,
  )
  const troubles = makeTroubles()
  let besideTaken = 0

  async function holder(): Promise<Member | undefined> {
    const name = await postgres.ask('select holder from lease').catch(() => '')
    return there().find(({ lives }) => lives.server?.pid === processOf(name))
  }
  const nameOf = (member: Member) => `Server ${members.indexOf(member) + 1}`
  const canRead = ({ lives }: Member) =>
    fetch(new URL(hostApi.health.path, lives.server?.url), { signal: AbortSignal.timeout(3_000) }).then(
      ({ ok }) => ok,
      () => false,
    )

  const fleet: Fleet = {
    kind: 'several',
    engine: cluster ? 'kubevirt' : 'simulated',
    dataDir,
    members,
    postgres,
    beside,
    url: balancer.url,
    takeovers: [],
    get life() {
      return members.reduce((sum, { lives }) => sum + lives.count, 0)
    },
    get up() {
      return there().some(({ isLeftOut }) => !isLeftOut)
    },
    get servers() {
      return there().flatMap(({ lives }) => lives.server?.pid ?? [])
    },
    connections(pid) {
      const server = there().find(({ lives }) => lives.server?.pid === pid)?.lives.server
      return server ? balancer.connectionsTo(server.url) : 0
    },
    async processes() {
      const first = await postgres.pid()
      const children = await readFile(`/proc/${first}/task/${first}/children`, 'utf8').catch(() => '')
      return [...fleet.servers, beside.pid(), ...children.trim().split(' ').map(Number)].filter(Boolean)
    },
    watch: troubles.watch,
    trouble: troubles.begin,
    now: Date.now,
    truth: async () =>
      cluster ? kubevirtTruth(await cluster.objects(), cluster.prefix) : simulatedTruth(dataDir, Date.now()),
    // Servers look around every 2 s for others that ended without a word.
    toldWithinMs: 8_000,
    async driver(other) {
      const until = Date.now() + takesOverWithinMs
      for (;;) {
        const member = await holder()
        if (member && member !== other) return member
        if (Date.now() > until) throw new Error(`No server drives after ${takesOverWithinMs / 1_000} s`)
        await sleep(lookMs)
      }
    },
    async answers() {
      const until = Date.now() + answersWithinMs
      for (const member of there())
        while (!(await canRead(member))) {
          if (Date.now() > until)
            throw new Error(`${nameOf(member)} cannot use its database after ${answersWithinMs / 1_000} s`)
          await sleep(lookMs)
        }
    },
    async start() {
      await beside.start()
      const ended = there().filter(({ lives }) => lives.hasEnded)
      for (const member of ended) await member.lives.end('kill')
      await allOf(members.map(({ lives }) => lives.start()))
      if (ended.length > 0) throw new Error(`${ended.map(nameOf).join(', ')} ended without being told to`)
    },
    async mailedLink(address, page) {
      // The one that drives sends all mails.
      const servers = members.flatMap(({ lives }) => lives.server ?? [])
      if (servers.length === 0) throw new Error('All servers are down')
      return Promise.any(servers.map((server) => server.mailedLink(address, page)))
    },
    takeOutput() {
      const ofBeside = beside.output().slice(besideTaken)
      besideTaken += ofBeside.length
      return [ofBeside, ...members.map(({ lives }) => lives.takeOutput())].join('\n')
    },
    async remove() {
      balancer.close()
      await Promise.all(members.map(({ lives }) => lives.end('kill')))
      await beside.kill()
      await cluster?.remove()
      await postgres.remove()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return fleet
}
