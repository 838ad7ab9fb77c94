// @module-tag full
import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STARTER_IMAGE } from '../../../image/image-store.ts'
import { run } from '../../../lib/command.ts'
import { directoryForAll, directoryOfTest } from '../../../lib/directory.test-kit.ts'
import { newId } from '../../../lib/id.ts'
import { PROJECT_ID, work } from '../../engine.test-kit.ts'
import type { Address, Engine, MachineSpec } from '../../engine.ts'
import {
  makeKey,
  missing,
  processesOf,
  type SignIn,
  starterMachine,
  startServer,
  testEngine,
  untilIs,
} from '../qemu-engine.test-kit.ts'

const LOOK_MS = 20
const like = { imageId: STARTER_IMAGE, cpu: 1, memoryMb: 256 }

/** Who a guest is: what stays with it, and from `boot_id` on what is another at each boot. */
const IDENTITY = [
  'cat /etc/machine-id',
  'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key | grep ^ssh-',
  'hostname',
  'cat /sys/class/net/eth0/address',
  'ip -o -4 address show dev eth0 | tr -s " " | cut -d " " -f 4',
  'cat /proc/sys/kernel/random/boot_id',
  'cat /proc/sys/kernel/random/uuid',
  'head -c 16 /dev/urandom | md5sum',
]

describe.skipIf(missing !== undefined)('VMs that start from a frozen guest', () => {
  const dataDir = directoryForAll()
  let engine: Engine
  const made: string[] = []

  beforeAll(async () => {
    engine = await testEngine(dataDir(), { networks: 'auto', warm: true, reserve: 1 })
    await engine.open()
  })
  afterAll(async () => {
    for (const id of made) await engine.deleteMachine(id)
    await engine.deleteProject(PROJECT_ID)
    await engine.close()
  })

  interface Key {
    publicKey: string
    ssh: SignIn
  }
  interface Vm {
    spec: MachineSpec
    key: Key
    address: Address
    isWarm: boolean
    ssh: (command: string) => Promise<string>
  }

  async function create(id: string, hostname: string, key: Key, memoryMb = like.memoryMb) {
    made.push(id)
    const spec = starterMachine(hostname, { ...like, memoryMb, id, sshPublicKeys: [key.publicKey] })
    await engine.createMachine(spec)
    return spec
  }

  async function start(spec: MachineSpec, key: Key): Promise<Vm> {
    await engine.startMachine(spec.id, { freshRoot: false, volumeIds: [] })
    const { address, warm = false } = await untilIs(engine, spec.id, 'ready')
    const ssh = async (command: string) => (await key.ssh(address, command)).trim()
    return { spec, key, address, isWarm: warm, ssh }
  }

  async function newVm(hostname: string): Promise<Vm> {
    const id = randomUUID()
    const key = await makeKey(join(dataDir(), `key-${id}`), `marker-${id}`)
    const begun = performance.now()
    const vm = await start(await create(id, hostname, key), key)
    const seconds = ((performance.now() - begun) / 1000).toFixed(2)
    console.log(`create to ready: ${vm.isWarm ? 'warm' : 'cold'} ${seconds} s`)
    return vm
  }

  const frozenKeys = async () =>
    (await readdir(join(dataDir(), 'warm'))).filter((name) => /^[0-9a-f]{64}$/.test(name))

  async function frozenAppears(): Promise<string> {
    for (;;) {
      const [key] = await frozenKeys()
      if (key) return join(dataDir(), 'warm', key)
      await sleep(100)
    }
  }

  const identityOf = async (vm: Vm) => (await vm.ssh(IDENTITY.join('; '))).split('\n')

  let first: Vm
  let others: Vm[]
  test('the first VM boots, and the next ones of its kind start as guests of their own', async () => {
    expect(engine.reserve?.held()).toEqual({ guests: 0, memoryMb: 0 })
    first = await newVm('first')
    expect(first.isWarm).toBe(false)
    await frozenAppears()
    others = [await newVm('second'), await newVm('third')]
    expect(others.map(({ isWarm }) => isWarm)).toEqual([true, true])
    const all = [first, ...others]
    const identities = await Promise.all(all.map(identityOf))
    for (const [index, one] of identities.entries()) {
      expect(one).toHaveLength(8)
      expect(one[0]).toMatch(/^[0-9a-f]{32}$/)
      expect(one[2]).toBe(all[index]?.spec.hostname)
      expect(one[4]?.split('/')[0]).toBe(all[index]?.address.ip)
      for (const other of identities.slice(0, index))
        for (const [at, value] of one.entries()) expect(value).not.toBe(other[at])
    }
  })

  test('only the user of each gets in, and its clock is right', async () => {
    const [second, third] = others
    if (!second || !third) throw new Error('unreachable')
    expect(await second.ssh('cat /root/.ssh/authorized_keys')).toBe(second.key.publicKey.trim())
    for (const { key } of [first, third]) await expect(key.ssh(second.address, 'true')).rejects.toThrow()
    // On a busy host the answer takes seconds: it is of a moment between question and answer.
    const asked = Date.now() / 1000
    const told = Number(await second.ssh('date +%s'))
    expect(told).toBeGreaterThan(asked - 10)
    expect(told).toBeLessThan(Date.now() / 1000 + 10)
    expect(await second.ssh(`ping -c 1 -w 5 ${third.address.ip} > /dev/null && echo reached`)).toBe('reached')
  })

  test('nothing of a user is in what was frozen', async () => {
    const dir = await frozenAppears()
    const secrets = [first.spec.id, first.key.publicKey.split(' ')[1] ?? '', `marker-${first.spec.id}`]
    for (const name of ['memory', 'root.qcow2', 'state']) {
      const texts = secrets.flatMap((text) => ['-e', text])
      expect(await run('grep', ['-caF', ...texts, join(dir, name)]).catch(() => 'none')).toBe('none')
    }
  })

  test('it boots its own disk later, as the same machine', async () => {
    const [second] = others
    if (!second) throw new Error('unreachable')
    const before = await identityOf(second)
    await second.ssh('echo kept > /root/kept; sync')
    await engine.powerOff(second.spec.id)
    const again = await start(second.spec, second.key)
    expect(again.isWarm).toBe(false)
    expect((await identityOf(again)).slice(0, 5)).toEqual(before.slice(0, 5))
    expect(await again.ssh('cat /root/kept')).toBe('kept')
  })

  test('a snapshot of it with memory has all of its memory', async () => {
    const third = others[1]
    if (!third) throw new Error('unreachable')
    const { id } = third.spec
    await third.ssh('echo thought > /run/thought')
    const boot = await third.ssh('cat /proc/sys/kernel/random/boot_id')
    const [snapshotId, safetyId] = [randomUUID(), randomUUID()]
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work())
    await engine.powerOff(id)
    await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work())
    expect(await engine.switchDisks(id, safetyId, work())).toMatchObject({ memory: true })
    const again = await start(third.spec, third.key)
    expect(await again.ssh('cat /run/thought /proc/sys/kernel/random/boot_id')).toBe(`thought\n${boot}`)
    for (const one of [snapshotId, safetyId]) await engine.deleteMachineSnapshot(one)
  })

  const inReserve = async () =>
    (await readdir(join(dataDir(), 'warm'))).filter((name) => /^[0-9a-f-]{36}$/.test(name))

  async function taken(): Promise<string> {
    for (;;) {
      const id = engine.reserve?.take(like)
      if (id) return id
      await sleep(LOOK_MS)
    }
  }

  const restarted = ({ ssh }: Vm, bootId: string) =>
    expect.poll(() => ssh('cat /proc/sys/kernel/random/boot_id').catch(() => bootId)).not.toBe(bootId)

  test('a VM begins with one, and is the machine that it should be', async () => {
    const id = await taken()
    expect(engine.reserve?.take({ ...like, cpu: 2 })).toBe(null)
    const [pid] = await processesOf(id)
    const spec = await create(id, 'ready-1', first.key)
    expect((await engine.inspect(id)).power).toBe('off')
    const vm = await start(spec, first.key)
    expect(vm.isWarm).toBe(true)
    expect(await processesOf(id)).toEqual([pid])
    const [before, another] = [await identityOf(vm), await identityOf(first)]
    for (const [at, value] of before.entries()) expect(value).not.toBe(another[at])
    expect(before[2]).toBe('ready-1')
    expect(before[4]?.split('/')[0]).toBe(vm.address.ip)
    expect(await vm.ssh('cat /root/.ssh/authorized_keys')).toBe(first.key.publicKey.trim())
    expect(await vm.ssh(`ping -c 1 -w 5 ${first.address.ip} > /dev/null && echo reached`)).toBe('reached')
    expect(await readFile(join(dataDir(), 'machines', id, 'serial.log'), 'utf8')).not.toContain(
      'slipway login',
    )
    await vm.ssh('echo kept > /root/kept; sync; (sleep 0.1; reboot) > /dev/null 2>&1 &')
    await restarted(vm, before[5] ?? '')
    // After a restart inside, its firmware and its seed say who it is, and nothing was made anew.
    expect((await identityOf(vm)).slice(0, 5)).toEqual(before.slice(0, 5))
    expect(await vm.ssh('cat /root/kept /sys/class/dmi/id/product_uuid')).toBe(`kept\n${id}`)
    expect(await processesOf(id)).toEqual([pid])
  })

  test('all memory that is kept ready is given back to a VM that needs it', async () => {
    await expect.poll(() => engine.reserve?.held().guests).toBe(1)
    expect(engine.reserve?.held().memoryMb).toBeGreaterThan(0)
    const large = await create(newId(), 'large', first.key, 1024 * 1024)
    const started = engine.startMachine(large.id, { freshRoot: false, volumeIds: [] })
    await expect(started).rejects.toMatchObject({ code: 'no-memory' })
    expect(engine.reserve?.held()).toEqual({ guests: 0, memoryMb: 0 })
    expect(await inReserve()).toEqual([])
    await engine.deleteMachine(large.id)
  })

  test('a machine that does not begin with its guest starts like every other, and its disk can be worked on', async () => {
    const id = await taken()
    const [pid] = await processesOf(id)
    const spec = await create(id, 'ready-2', first.key)
    const snapshotId = newId()
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: false }, work())
    expect(await processesOf(id)).toEqual([])
    expect(await (await start(spec, first.key)).ssh('hostname')).toBe('ready-2')
    expect(await processesOf(id)).not.toEqual([pid])
    await engine.deleteMachineSnapshot(snapshotId)
  })

  test('what is deleted before it begins leaves nothing, and what a killed server left is ended by the next', async () => {
    const deleted = await taken()
    await create(deleted, 'deleted', first.key)
    await engine.deleteMachine(deleted)
    expect(await processesOf(deleted)).toEqual([])
    const id = await taken()
    const spec = await create(id, 'ready-3', first.key)
    const [pid] = await processesOf(id)
    await engine.close()
    // Its own it has ended; the one in the place of a machine is for the next server, as after a kill -9.
    expect(await inReserve()).toEqual([])
    expect(await processesOf(id)).toEqual([pid])
    engine = await testEngine(dataDir(), { networks: 'auto', warm: true, reserve: 0 })
    await engine.open()
    expect(await processesOf(id)).toEqual([])
    expect((await engine.inspect(id)).power).toBe('off')
    expect(await (await start(spec, first.key)).ssh('hostname')).toBe('ready-3')
  })

  test('a server that is killed while it freezes a guest leaves nothing that could be taken for one', async () => {
    const own = directoryOfTest()
    const spec = { ...first.spec, id: randomUUID() }
    const server = await startServer(freezeAndStay, own, JSON.stringify(spec))
    const inTheMaking = async () => {
      const names = await readdir(join(own, 'warm')).catch(() => [])
      const ids = names.filter((name) => /^[0-9a-f-]{36}$/.test(name))
      for (const id of ids) if ((await processesOf(id)).length > 0) return id
      return null
    }
    let id: string | null = null
    while (id === null) {
      await sleep(LOOK_MS)
      id = await inTheMaking()
    }
    await server.kill()
    const next = await testEngine(own, { warm: true })
    await next.open()
    expect(await readdir(join(own, 'warm'))).toEqual([])
    expect(await processesOf(id)).toEqual([])
    await next.deleteMachine(spec.id)
    await next.close()
  })
})

/** A server of few words: a guest boots, so one of its kind is frozen. */
const freezeAndStay = `
  const [dataDir, spec] = process.argv.slice(1)
  const { testEngine } = await import('./qemu-engine.test-kit.ts')
  const engine = await testEngine(dataDir, { warm: true })
  const machine = JSON.parse(spec)
  await engine.open()
  await engine.createMachine(machine)
  process.stdout.write('begun')
  await engine.startMachine(machine.id, { freshRoot: false, volumeIds: [] })
  setInterval(() => {}, 60_000)
`
