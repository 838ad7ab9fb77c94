import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@playwright/test'
import { projectApi, type Vm, type VmPool, type VmSet, vmApi, vmPoolApi, vmSetApi } from '@slipway/contract'
import type { Server } from '../server.ts'
import { test } from './journey.ts'
import { newOwner, type Owner } from './owner.ts'
import { seededRandom } from './seed.ts'
import { deviceOf, rest } from './storage.ts'
import { shellsOf, type World } from './world.ts'

/** The policy in a hurry. A guest on a busy host gets only a part of its processor, so little is called much. */
const hurried = {
  SLIPWAY_SCALE_SAMPLE_EVERY_S: '2',
  SLIPWAY_SCALE_UP_ABOVE: '20',
  SLIPWAY_SCALE_UP_AFTER_S: '6',
  SLIPWAY_SCALE_DOWN_BELOW: '10',
  SLIPWAY_SCALE_DOWN_AFTER_S: '6',
  SLIPWAY_SCALE_PAUSE_S: '4',
}

test.describe.configure({ mode: 'serial' })

let world: World
let server: Server
let owner: Owner

test.beforeAll(async ({ playwright, newWorld }) => {
  world = await newWorld()
  server = await world.start(hurried)
  owner = await newOwner(await playwright.request.newContext(), () => server)
})

test.afterAll(async () => {
  await server?.stop()
  await world?.close()
})

const ofPool = (poolId: string) => ({ params: { ...owner.params, poolId } })
const ofSet = (setId: string) => ({ params: { ...owner.params, setId } })
const group = () => ({ template_id: 'starter', ssh_key_id: owner.keyId })

type Group = (VmPool | VmSet) & { vms: Vm[] }

/** Waits until a group is active with so many VMs, and every one of them runs. */
async function active<G extends Group>(get: () => Promise<G | null>, size: number): Promise<G> {
  let seen: G | null = null
  await expect
    .poll(
      async () => {
        seen = await get()
        return [seen?.status, ...(seen?.vms ?? []).map(({ status }) => status), seen?.status_message]
      },
      { intervals: [300] },
    )
    .toEqual(['active', ...Array<string>(size).fill('running'), null])
  if (!seen) throw new Error('nothing was seen')
  return seen
}

const runOf = async (vmId: string) =>
  (await world.guests()).find(({ machineId }) => machineId === vmId)?.run ?? ''
const idsOf = ({ vms }: Group) => vms.map(({ id }) => id)
const untilRunsAgain = (vmId: string, before: string) =>
  expect.poll(async () => ['', before].includes(await runOf(vmId))).toBe(false)
const shells = () => shellsOf(world, owner.inGuest)
const inGuest = (vmId: string, command: string) => shells().inGuest(vmId, command)
const printed = (text: string) => shells().printed(text)
const nothingLeft = () => expect.poll(async () => world.left(await rest(owner))).toEqual([])

/** A pool goes up while its guests work, and down when they rest. */
async function followLoad(poolId: string): Promise<void> {
  const getPool = () => owner.call(vmPoolApi.get, ofPool(poolId))
  const members = idsOf(await active(getPool, 2))
  await owner.must(vmPoolApi.update, { ...ofPool(poolId), body: { auto_scaling: true, min_size: 2 } })
  for (const id of members) {
    await owner.inGuest(
      id,
      'setsid sh -c "while :; do :; done" < /dev/null > /dev/null 2>&1 & echo $! > /run/work',
    )
  }
  /** True, or what the autoscaler thinks instead. */
  const wants = async (fits: (size: number) => boolean) =>
    fits((await getPool())?.desired_size ?? 0) ||
    (await owner.call(vmPoolApi.history, ofPool(poolId)))?.verdict
  await expect.poll(() => wants((size) => size >= 3)).toBe(true)
  for (const id of members) await owner.inGuest(id, 'kill $(cat /run/work)').catch(() => '')
  await owner.must(vmPoolApi.update, { ...ofPool(poolId), body: { min_size: 1 } })
  await expect.poll(() => wants((size) => size === 1)).toBe(true)
  expect((await active(getPool, 1)).current_size).toBe(1)
  const { events, samples } = await owner.must(vmPoolApi.history, ofPool(poolId))
  const steps = events.filter(({ kind }) => kind === 'scaled').map(({ message }) => message)
  expect(steps.at(-1)).toMatch(/^CPU [\d.]+ % over 6 s, above 20 %: 2 to 3$/)
  expect(steps[0]).toMatch(/^CPU [\d.]+ % over 6 s, below 10 %: 2 to 1$/)
  expect(samples.some(({ cpu }) => cpu !== null && cpu > 20)).toBe(true)
}

/** It goes up and down as somebody says. */
async function followHand(poolId: string): Promise<void> {
  const getPool = () => owner.call(vmPoolApi.get, ofPool(poolId))
  for (const desired_size of [3, 1]) {
    await owner.must(vmPoolApi.update, { ...ofPool(poolId), body: { desired_size } })
    expect((await active(getPool, desired_size)).current_size).toBe(desired_size)
  }
}

test('a set and a pool come up, replace what is killed or deleted, follow the load, and leave nothing', async () => {
  const made = await owner.must(vmSetApi.create, {
    params: owner.params,
    // Of another size than the pool, whose frozen guests fit none of these.
    body: { ...group(), name: 'db', replicas: 3, cpu: 2, memory_mb: 384 },
  })
  const getSet = () => owner.call(vmSetApi.get, ofSet(made.id))
  const set = await active(getSet, 3)
  expect(set.vm_stats).toEqual({ total_vms: 3, running_vms: 3 })
  const poolMade = await owner.must(vmPoolApi.create, {
    params: owner.params,
    body: {
      ...group(),
      name: 'web',
      min_size: 1,
      desired_size: 2,
      max_size: 4,
      persistent: false,
      auto_scaling: false,
      disks: [{ name: 'data', size: '1Gi' }],
    },
  })
  const getPool = () => owner.call(vmPoolApi.get, ofPool(poolMade.id))
  const pool = await active(getPool, 2)

  // Every member is a VM that answers SSH, and has the disk that was made for it.
  for (const vm of [...set.vms, ...pool.vms]) {
    expect(await inGuest(vm.id, 'hostname')).toBe(printed(vm.name))
  }
  const ofItsSize = `echo $(grep -c ^processor /proc/cpuinfo) $(awk '/^MemTotal/ { print ($2 > 256 * 1024) }' /proc/meminfo)`
  for (const vm of set.vms) expect(await inGuest(vm.id, ofItsSize)).toBe(printed('2 1'))
  for (const vm of pool.vms) expect(await inGuest(vm.id, ofItsSize)).toBe(printed('1 0'))
  const { disks } = await rest(owner)
  for (const vm of pool.vms) {
    const own = disks.find(({ id }) => vm.disks.some(({ disk_id }) => disk_id === id))
    expect(own?.deleted_with_vm).toBe(true)
    expect(await inGuest(vm.id, `blockdev --getsize64 ${deviceOf(own ?? { id: '' })}`)).toBe(
      printed(`${1024 ** 3}`),
    )
  }

  // One of the pool is killed, one of the set is deleted by hand: others take their places, under their names.
  const [killed = '', spared = ''] = idsOf(pool)
  const killedRun = await runOf(killed)
  await world.crash(killed)
  const [first = '', second = '', third = ''] = idsOf(set)
  await owner.must(vmApi.delete, owner.of(first))
  if (world.crashIsReboot) await untilRunsAgain(killed, killedRun)
  else await expect.poll(async () => idsOf((await getPool()) ?? pool)).not.toContain(killed)
  const healedPool = await active(getPool, 2)
  expect(idsOf(healedPool)).toContain(spared)
  expect(healedPool.vms.map(({ name }) => name).sort()).toEqual(['web-1', 'web-2'])
  const healedSet = await active(getSet, 3)
  expect(idsOf(healedSet)).toEqual(expect.arrayContaining([second, third]))
  expect(idsOf(healedSet)).not.toContain(first)
  const another = healedSet.vms.find(({ id }) => id !== second && id !== third)
  expect(await inGuest(another?.id ?? '', ofItsSize)).toBe(printed('2 1'))

  // One that keeps its root disk is started again with it instead.
  await inGuest(second, 'echo kept > /root/letter; sync')
  const before = await runOf(second)
  await world.crash(second)
  await untilRunsAgain(second, before)
  expect(idsOf(await active(getSet, 3))).toContain(second)
  expect(await inGuest(second, 'cat /root/letter')).toBe(printed('kept'))

  // By hand: smaller, the newest goes; the other one larger.
  await owner.must(vmSetApi.update, { ...ofSet(made.id), body: { replicas: 1 } })
  expect(idsOf(await active(getSet, 1))).toEqual([second])
  await owner.must(vmSetApi.delete, ofSet(made.id))

  if (world.played === null) await followLoad(poolMade.id)
  else await followHand(poolMade.id)
  await owner.must(vmPoolApi.delete, ofPool(poolMade.id))
  expect((await rest(owner)).disks).toEqual([])
  await nothingLeft()
})

test('a server killed at random moments of scaling doubles no member and loses none', async () => {
  const random = seededRandom()
  const made = await owner.must(vmPoolApi.create, {
    params: owner.params,
    body: {
      ...group(),
      name: 'web',
      min_size: 1,
      desired_size: 2,
      max_size: 4,
      auto_scaling: false,
      disks: [{ name: 'data', size: '1Gi' }],
    },
  })
  const getPool = () => owner.call(vmPoolApi.get, ofPool(made.id))
  /** The last size that was acknowledged, and those that may have been stored when the server died under the call. */
  let sizes = [2]
  for (const desired_size of [4, 1, 3, 2, 4, 2]) {
    const asking = owner.call(vmPoolApi.update, { ...ofPool(made.id), body: { desired_size } })
    await sleep(random.below(random.chance(0.5) ? 60 : 3_000))
    await server.kill()
    sizes = (await asking) === null ? [...sizes, desired_size] : [desired_size]
    server = await world.start(hurried)
    const { desired_size: stored, vms } = await owner.must(vmPoolApi.get, ofPool(made.id))
    expect(sizes).toContain(stored)
    expect(new Set(vms.map(({ name }) => name)).size).toBe(vms.length)
    sizes = [stored]
  }
  const pool = await active(getPool, sizes[0] ?? 0)
  expect((await world.guests()).map(({ machineId }) => machineId).sort()).toEqual(idsOf(pool).sort())
  const { disks } = await rest(owner)
  expect(disks.map(({ vm_id }) => vm_id).sort()).toEqual(idsOf(pool).sort())
  await owner.must(vmPoolApi.delete, ofPool(made.id))
  await nothingLeft()
})

test('deleting the project leaves nothing', async () => {
  await owner.must(projectApi.delete, { params: owner.params })
  await expect.poll(world.leftOfProjects).toEqual([])
})
