/**
 * Pools and sets: how fast a set comes up against the same guests started by hand at the same pace, and what looking
 * at ten thousand members costs.
 */
import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectApi, sshKeyApi, type VmSet, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import { clear, guestsOf, newDataDir, newKeyPair, startRealServer } from '@slipway/e2e/real'
import { startServer } from '@slipway/e2e/server'
import { logIn, type Recipe, recipeOf, startByHand } from './bare-guest.ts'
import { newPublicKey } from './fleet.ts'
import { newPerson, type Person } from './person.ts'
import { cpuSeconds, memoryMb } from './process.ts'
import { quantile, report } from './report.ts'

const turns = 3
const replicas = 5
/** As many at once as the server starts. */
const atOnce = Math.max(2, availableParallelism())

interface Desk {
  person: Person
  params: { projectId: string }
  keyId: string
}

async function newDesk(person: Person, publicKey: string): Promise<Desk> {
  const key = await person.call(sshKeyApi.create, {
    body: { key_name: 'bench', ssh_public_key: publicKey },
  })
  const project = await person.call(projectApi.create, { body: { name: 'bench' } })
  return { person, params: { projectId: project.id }, keyId: key.id }
}

/** Milliseconds from the POST until every member has let somebody in. */
async function setViaSlipway({ person, params, keyId }: Desk, keyFile: string) {
  const start = performance.now()
  const set: VmSet = await person.call(vmSetApi.create, {
    params,
    body: { name: 'bench', template_id: 'starter', ssh_key_id: keyId, replicas },
  })
  const post = performance.now() - start
  const logins = new Map<string, Promise<void>>()
  for (;;) {
    const { vms } = await person.call(vmSetApi.get, { params: { ...params, setId: set.id } })
    for (const vm of vms) {
      if (vm.status !== 'running' || logins.has(vm.id)) continue
      logins.set(vm.id, logIn(vm.ip_address ?? '', vm.ssh_port, keyFile))
    }
    if (logins.size === replicas) break
    await sleep(20)
  }
  await Promise.all(logins.values())
  return { set, total: performance.now() - start, post }
}

/** The same by hand: the next guest starts when one is up. */
async function setByHand(recipes: readonly Recipe[], keyFile: string): Promise<number> {
  const start = performance.now()
  const guests: { end: () => Promise<void> }[] = []
  const logins: Promise<void>[] = []
  const waiting = [...recipes]
  async function work(): Promise<void> {
    for (let recipe = waiting.shift(); recipe; recipe = waiting.shift()) {
      guests.push(await startByHand(recipe))
      logins.push(logIn(recipe.address, recipe.port, keyFile))
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work))
    await Promise.all(logins)
    return performance.now() - start
  } finally {
    await Promise.all(guests.map((guest) => guest.end()))
  }
}

export async function benchSetOfFive(): Promise<boolean> {
  const dataDir = await newDataDir()
  const server = await startRealServer(dataDir)
  let recipes: Recipe[] = []
  try {
    const { file, publicKey } = await newKeyPair(dataDir)
    const desk = await newDesk(await newPerson(server), publicKey)
    const slipway: number[] = []
    const bare: number[] = []
    const posts: number[] = []
    // The first turn warms the page cache for both and is not counted.
    for (let turn = 0; turn <= turns; turn++) {
      const { set, total, post } = await setViaSlipway(desk, file)
      if (recipes.length === 0) {
        const vms = await desk.person.call(vmApi.list, { params: desk.params })
        const guests = await guestsOf(dataDir)
        recipes = await Promise.all(
          vms.map((vm) => recipeOf(guests.find(({ machineId }) => machineId === vm.id)?.pid ?? 0)),
        )
      }
      await desk.person.call(vmSetApi.delete, { params: { ...desk.params, setId: set.id } })
      while ((await guestsOf(dataDir)).length > 0) await sleep(100)
      const hand = await setByHand(recipes, file)
      if (turn === 0) continue
      slipway.push(total)
      bare.push(hand)
      posts.push(post)
    }
    const ratios = slipway.map((ms, i) => ms / (bare[i] ?? Number.NaN))
    return report(
      `A set of ${replicas} until all answer SSH, ${atOnce} at once, ${turns} turns, ${server.output().match(/TCG|KVM/)?.[0] ?? ''}`,
      [
        { what: 'POST alone, median', value: quantile(posts, 0.5), unit: 'ms', goal: 50 },
        { what: 'POST to last login, median', value: quantile(slipway, 0.5) / 1000, unit: 's', goal: null },
        { what: 'QEMU by hand, median', value: quantile(bare, 0.5) / 1000, unit: 's', goal: null },
        { what: 'ratio, median of turns', value: quantile(ratios, 0.5), unit: 'x', goal: 1.2 },
      ],
    )
  } finally {
    await server.stop()
    await clear(dataDir)
    for (const { dir } of recipes) await rm(dir, { recursive: true, force: true })
  }
}

interface Scale {
  members: number
  /** Milliseconds of a full scan of groups, and of VMs. */
  groups: number
  vms: number
  memory: number
  /** Share of a processor while nothing happens. */
  rest: number
}

const membersEach = 50
const restSeconds = 65

/** What a server with so many pools of fifty VMs each does while nothing happens. */
async function atRest(pools: number): Promise<Scale> {
  const server = await startServer({
    SLIPWAY_SIMULATED_SPEED: '1000',
    SLIPWAY_MAX_VMS_PER_PROJECT: '100000',
    SLIPWAY_LOG_LEVEL: 'debug',
  })
  try {
    const { person, params, keyId } = await newDesk(await newPerson(server), newPublicKey())
    const sizes = { min_size: membersEach, desired_size: membersEach, max_size: membersEach }
    for (let i = 0; i < pools; i++) {
      await person.call(vmPoolApi.create, {
        params,
        body: { name: `pool-${i}`, template_id: 'starter', ssh_key_id: keyId, ...sizes },
      })
    }
    for (;;) {
      const all = await person.call(vmPoolApi.list, { params })
      if (all.every(({ status }) => status === 'active')) break
      await sleep(1_000)
    }
    // One whole round of scans, then two that count.
    await sleep(31_000)
    const from = server.output().length
    const before = await cpuSeconds(server.pid)
    await sleep(restSeconds * 1_000)
    const rest = ((await cpuSeconds(server.pid)) - before) / restSeconds
    const scans = (reconciler: string) =>
      [
        ...server
          .output()
          .slice(from)
          .matchAll(new RegExp(`"reconciler":"${reconciler}","ms":(\\d+)`, 'g')),
      ].map(([, ms]) => Number(ms))
    return {
      members: pools * membersEach,
      groups: quantile(scans('vm-group'), 0.5),
      vms: quantile(scans('vm'), 0.5),
      memory: await memoryMb(server.pid),
      rest,
    }
  } finally {
    await server.stop()
  }
}

export async function benchGroups(): Promise<boolean> {
  const small = await atRest(20)
  const large = await atRest(200)
  const growth = large.groups / small.groups / (large.members / small.members)
  const rows = (scale: Scale) => [
    { what: `${scale.members} members: scan of groups`, value: scale.groups, unit: 'ms', goal: null },
    { what: `${scale.members} members: scan of VMs`, value: scale.vms, unit: 'ms', goal: null },
    { what: `${scale.members} members: memory at rest`, value: scale.memory, unit: 'MB', goal: null },
    { what: `${scale.members} members: processor at rest`, value: scale.rest * 100, unit: '%', goal: null },
  ]
  return report('Groups on the simulated engine', [
    ...rows(small),
    ...rows(large),
    { what: 'scan of groups per member, 10,000 against 1,000', value: growth, unit: 'x', goal: 1.2 },
  ])
}
