import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { STARTER_IMAGE } from '../../../image/image-store.ts'
import { run } from '../../../lib/command.ts'
import { PROJECT_ID } from '../../engine.test-kit.ts'
import type { Address, Engine, MachineSpec, MachineState } from '../../engine.ts'
import { missing, processesOf, sshWith, testEngine } from '../qemu-engine.test-kit.ts'
import { reserveSuite } from './reserve.suite.ts'

const LOOK_MS = 20

describe.skipIf(missing !== undefined)('VMs that start from a frozen guest', () => {
  let dataDir: string
  let engine: Engine
  const made: string[] = []

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-warm-'))
    engine = await testEngine(dataDir, { networks: 'auto', warm: true, reserve: 1 })
    await engine.open()
  })
  afterAll(async () => {
    for (const id of made) await engine.deleteMachine(id)
    await engine.deleteProject(PROJECT_ID)
    await engine.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  interface Vm {
    spec: MachineSpec
    key: string
    publicKey: string
    address: Address
    isWarm: boolean
    /** From the call to ready. */
    tookMs: number
    ssh: (command: string) => Promise<string>
  }

  async function until(id: string, power: MachineState['power']): Promise<MachineState> {
    for (let look = 0; look < 15_000; look += 1) {
      const state = await engine.inspect(id)
      if (state.power === power) return state
      await sleep(LOOK_MS)
    }
    throw new Error(`It is ${JSON.stringify(await engine.inspect(id))}`)
  }

  async function start(spec: MachineSpec, key: string, freshRoot = false): Promise<Vm> {
    const begun = performance.now()
    await engine.createMachine(spec)
    await engine.startMachine(spec.id, { freshRoot, volumeIds: [] })
    const state = await until(spec.id, 'ready')
    if (state.power !== 'ready') throw new Error('unreachable')
    const { address, warm = false } = state
    const tookMs = performance.now() - begun
    const [publicKey = ''] = spec.sshPublicKeys
    const vm = { spec, key, publicKey, address, isWarm: warm, tookMs }
    return { ...vm, ssh: async (command) => (await sshWith(key)(address, command)).trim() }
  }

  async function newVm(hostname: string): Promise<Vm> {
    const id = randomUUID()
    const key = join(dataDir, `key-${id}`)
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', `marker-${id}`, '-f', key])
    made.push(id)
    const size = { cpu: 1, memoryMb: 256, imageId: STARTER_IMAGE, volumeIds: [], persistent: true }
    const keys = [await readFile(`${key}.pub`, 'utf8')]
    return start({ id, projectId: PROJECT_ID, hostname, sshPublicKeys: keys, ...size }, key)
  }

  const frozenKeys = async () =>
    (await readdir(join(dataDir, 'warm'))).filter((name) => /^[0-9a-f]{64}$/.test(name))

  async function frozenAppears(): Promise<string> {
    for (let look = 0; look < 6000; look += 1) {
      const [key] = await frozenKeys()
      if (key) return join(dataDir, 'warm', key)
      await sleep(100)
    }
    throw new Error('No guest was frozen')
  }

  const identityOf = async (vm: Vm) => {
    const text = await vm.ssh(
      [
        'cat /etc/machine-id',
        'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key | grep ^ssh-',
        'hostname',
        'cat /sys/class/net/eth0/address',
        'ip -o -4 address show dev eth0 | tr -s " " | cut -d " " -f 4',
        'cat /proc/sys/kernel/random/boot_id',
        'cat /proc/sys/kernel/random/uuid',
        'head -c 16 /dev/urandom | md5sum',
      ].join('; '),
    )
    return text.split('\n')
  }

  let first: Vm
  let others: Vm[]
  test('the first VM boots, and the next ones of its kind start as guests of their own', async () => {
    expect(engine.reserve?.held()).toEqual({ guests: 0, memoryMb: 0 })
    first = await newVm('first')
    expect(first.isWarm).toBe(false)
    await frozenAppears()
    others = [await newVm('second'), await newVm('third')]
    expect(others.map(({ isWarm }) => isWarm)).toEqual([true, true])
    console.log(
      `create to ready: ${[first, ...others].map(({ isWarm, tookMs }) => `${isWarm ? 'warm' : 'cold'} ${(tookMs / 1000).toFixed(2)} s`).join(', ')}`,
    )
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
    expect(await second.ssh('cat /root/.ssh/authorized_keys')).toBe(second.publicKey.trim())
    await expect(sshWith(first.key)(second.address, 'true')).rejects.toThrow()
    await expect(sshWith(third.key)(second.address, 'true')).rejects.toThrow()
    const skew = Number(await second.ssh('date +%s')) - Date.now() / 1000
    expect(Math.abs(skew)).toBeLessThan(10)
    expect(await second.ssh(`ping -c 1 -w 5 ${third.address.ip} > /dev/null && echo reached`)).toBe('reached')
  })

  test('nothing of a user is in what was frozen', async () => {
    const dir = await frozenAppears()
    const secrets = [first.spec.id, first.publicKey.split(' ')[1] ?? '', `marker-${first.spec.id}`]
    for (const name of ['memory', 'root.qcow2', 'state']) {
      const found = await run('grep', [
        '-c',
        '-a',
        '-F',
        ...secrets.flatMap((text) => ['-e', text]),
        join(dir, name),
      ]).catch(() => 'none')
      expect(found).toBe('none')
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
    const work = { signal: new AbortController().signal, onProgress: () => {} }
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work)
    await engine.powerOff(id)
    await engine.prepareRestore(id, { snapshotId, volumeIds: [] }, work)
    expect(await engine.switchDisks(id, safetyId, work)).toMatchObject({ memory: true })
    const again = await start(third.spec, third.key)
    expect(await again.ssh('cat /run/thought /proc/sys/kernel/random/boot_id')).toBe(`thought\n${boot}`)
    for (const one of [snapshotId, safetyId]) await engine.deleteMachineSnapshot(one)
  })

  reserveSuite({
    dataDir: () => dataDir,
    engine: () => engine,
    use: (next) => {
      engine = next
    },
    key: () => first.key,
    other: () => first.address,
    made,
  })

  test('a frozen guest with damaged memory is not used, and goes', async () => {
    const dir = await frozenAppears()
    const file = await open(join(dir, 'memory'), 'r+')
    await file.write('damaged', 64 * 1024 * 1024)
    await file.close()
    const fourth = await newVm('fourth')
    expect(fourth.isWarm).toBe(false)
    await engine.deleteMachine(fourth.spec.id)
  })

  test('a server that is killed while it freezes a guest leaves nothing that could be taken for one', async () => {
    const own = await mkdtemp(join(tmpdir(), 'slipway-warm-killed-'))
    const spec = { ...first.spec, id: randomUUID() }
    const server = spawn(
      process.execPath,
      ['--input-type=module', '-e', freezeAndStay, own, JSON.stringify(spec)],
      { cwd: join(import.meta.dirname, '..'), stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const inTheMaking = async () => {
      const names = await readdir(join(own, 'warm')).catch(() => [])
      const ids = names.filter((name) => /^[0-9a-f-]{36}$/.test(name))
      for (const id of ids) if ((await processesOf(id)).length > 0) return id
      return null
    }
    try {
      let id: string | null = null
      while (id === null) {
        expect(server.exitCode).toBe(null)
        await sleep(LOOK_MS)
        id = await inTheMaking()
      }
      server.kill('SIGKILL')
      await once(server, 'close')
      const next = await testEngine(own, { warm: true })
      await next.open()
      expect(await readdir(join(own, 'warm'))).toEqual([])
      expect(await processesOf(id)).toEqual([])
      await next.deleteMachine(spec.id)
      await next.close()
    } finally {
      server.kill('SIGKILL')
      await rm(own, { recursive: true, force: true })
    }
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
  await engine.startMachine(machine.id, { freshRoot: false, volumeIds: [] })
  setInterval(() => {}, 60_000)
`
