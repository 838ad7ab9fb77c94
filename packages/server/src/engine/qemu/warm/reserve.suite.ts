import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { STARTER_IMAGE } from '../../../image/image-store.ts'
import { newId } from '../../../lib/id.ts'
import { PROJECT_ID } from '../../engine.test-kit.ts'
import type { Address, Engine, MachineSpec, MachineState } from '../../engine.ts'
import { processesOf, sshWith, testEngine } from '../qemu-engine.test-kit.ts'

const LOOK_MS = 20
const like = { imageId: STARTER_IMAGE, cpu: 1, memoryMb: 256 }

/** What the tests need: an engine with a reserve, in which a guest of the starter image is frozen. */
export interface ReserveHarness {
  dataDir: () => string
  engine: () => Engine
  /** The engine from now on; the one before is closed. */
  use: (engine: Engine) => void
  /** A key, and a machine that runs and lets it in. */
  key: () => string
  other: () => Address
  /** Deleted at the end. */
  made: string[]
}

/** Tests of guests that are kept ready; the last one leaves an engine without a reserve. */
export function reserveSuite({ dataDir, engine, use, key, other, made }: ReserveHarness): void {
  const inReserve = async () =>
    (await readdir(join(dataDir(), 'warm'))).filter((name) => /^[0-9a-f-]{36}$/.test(name))

  async function until(id: string, power: MachineState['power']): Promise<MachineState> {
    for (let look = 0; look < 15_000; look += 1) {
      const state = await engine().inspect(id)
      if (state.power === power) return state
      await sleep(LOOK_MS)
    }
    throw new Error(`It is ${JSON.stringify(await engine().inspect(id))}`)
  }

  async function eventually(isSo: () => boolean): Promise<void> {
    for (let look = 0; look < 15_000 && !isSo(); look += 1) await sleep(LOOK_MS)
    expect(isSo()).toBe(true)
  }

  async function taken(): Promise<string> {
    for (let look = 0; look < 15_000; look += 1) {
      const id = engine().reserve?.take(like)
      if (id) return id
      await sleep(LOOK_MS)
    }
    throw new Error('No guest was kept ready')
  }

  async function create(id: string, hostname: string, memoryMb = like.memoryMb): Promise<MachineSpec> {
    made.push(id)
    const sshPublicKeys = [await readFile(`${key()}.pub`, 'utf8')]
    const spec = {
      ...like,
      memoryMb,
      id,
      projectId: PROJECT_ID,
      hostname,
      sshPublicKeys,
      volumeIds: [],
      persistent: true,
    }
    await engine().createMachine(spec)
    return spec
  }

  async function start(id: string): Promise<{ address: Address; warm: boolean }> {
    await engine().startMachine(id, { freshRoot: false, volumeIds: [] })
    const state = await until(id, 'ready')
    if (state.power !== 'ready') throw new Error('unreachable')
    return { address: state.address, warm: state.warm ?? false }
  }

  async function restarted(address: Address, bootId: string): Promise<void> {
    for (let look = 0; look < 300; look += 1) {
      await sleep(200)
      const now = await ask(address, 'cat /proc/sys/kernel/random/boot_id').catch(() => bootId)
      if (now !== bootId) return
    }
    throw new Error('The guest did not restart')
  }

  const ask = async (address: Address, command: string) => (await sshWith(key())(address, command)).trim()

  test('a VM begins with one, and is the machine that it should be', async () => {
    const id = await taken()
    expect(engine().reserve?.take({ ...like, cpu: 2 })).toBe(null)
    const [pid] = await processesOf(id)
    const begun = performance.now()
    await create(id, 'second')
    expect((await engine().inspect(id)).power).toBe('off')
    const { address, warm } = await start(id)
    const readyMs = performance.now() - begun
    const identity = await ask(address, IDENTITY)
    console.log(
      `create to ready ${readyMs.toFixed(0)} ms, to a login ${(performance.now() - begun).toFixed(0)} ms`,
    )
    expect(warm).toBe(true)
    expect(await processesOf(id)).toEqual([pid])
    const [name, keys, mac, ip, ...rest] = identity.split('\n')
    expect(name).toBe('second')
    expect(keys).toBe((await readFile(`${key()}.pub`, 'utf8')).trim())
    expect(ip?.split('/')[0]).toBe(address.ip)
    const others = (await ask(other(), IDENTITY)).split('\n')
    for (const value of [mac, ...rest]) expect(others).not.toContain(value)
    expect(await ask(address, `ping -c 1 -w 5 ${other().ip} > /dev/null && echo reached`)).toBe('reached')
    expect(await readFile(join(dataDir(), 'machines', id, 'serial.log'), 'utf8')).not.toContain(
      'slipway login',
    )
    await ask(address, 'echo kept > /root/kept; sync; (sleep 0.1; reboot) > /dev/null 2>&1 &')
    await restarted(address, rest[1] ?? '')
    // After a restart inside, its firmware and its seed say who it is, and nothing was made anew.
    expect((await ask(address, IDENTITY)).split('\n').slice(0, 5)).toEqual([name, keys, mac, ip, rest[0]])
    expect(await ask(address, 'cat /root/kept /sys/class/dmi/id/product_uuid')).toBe(`kept\n${id}`)
    expect(await processesOf(id)).toEqual([pid])
  })

  test('all memory that is kept ready is given back to a VM that needs it', async () => {
    await eventually(() => engine().reserve?.held().guests === 1)
    expect(engine().reserve?.held().memoryMb).toBeGreaterThan(0)
    const large = await create(newId(), 'large', 1024 * 1024)
    const started = engine().startMachine(large.id, { freshRoot: false, volumeIds: [] })
    await expect(started).rejects.toMatchObject({ code: 'no-memory' })
    expect(engine().reserve?.held()).toEqual({ guests: 0, memoryMb: 0 })
    expect(await inReserve()).toEqual([])
    await engine().deleteMachine(large.id)
  })

  test('a machine that does not begin with its guest starts like every other, and its disk can be worked on', async () => {
    const id = await taken()
    const [pid] = await processesOf(id)
    await create(id, 'third')
    const snapshotId = newId()
    const work = { signal: new AbortController().signal, onProgress: () => {} }
    await engine().createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: false }, work)
    expect(await processesOf(id)).toEqual([])
    const { address } = await start(id)
    expect(await ask(address, 'hostname')).toBe('third')
    expect(await processesOf(id)).not.toEqual([pid])
    await engine().deleteMachineSnapshot(snapshotId)
  })

  test('what is deleted before it begins leaves nothing, and what a killed server left is ended by the next', async () => {
    const deleted = await taken()
    await create(deleted, 'deleted')
    await engine().deleteMachine(deleted)
    expect(await processesOf(deleted)).toEqual([])
    const id = await taken()
    await create(id, 'fourth')
    const [pid] = await processesOf(id)
    await engine().close()
    // Its own it has ended; the one in the place of a machine is for the next server, as after a kill -9.
    expect(await inReserve()).toEqual([])
    expect(await processesOf(id)).toEqual([pid])
    use(await testEngine(dataDir(), { networks: 'auto', warm: true, reserve: 0 }))
    await engine().open()
    expect(await processesOf(id)).toEqual([])
    expect((await engine().inspect(id)).power).toBe('off')
    const { address } = await start(id)
    expect(await ask(address, 'hostname')).toBe('fourth')
  })
}

const IDENTITY = [
  'hostname',
  'cat /root/.ssh/authorized_keys',
  'cat /sys/class/net/eth0/address',
  'ip -o -4 address show dev eth0 | tr -s " " | cut -d " " -f 4',
  'cat /etc/machine-id',
  'cat /proc/sys/kernel/random/boot_id',
  'head -c 16 /dev/urandom | md5sum',
].join('; ')
