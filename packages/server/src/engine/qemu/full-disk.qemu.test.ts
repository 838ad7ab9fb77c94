// @module-tag full
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { silentLog } from '../../lib/log.ts'
import { work } from '../engine.test-kit.ts'
import type { Engine, Work } from '../engine.ts'
import {
  makeKey,
  missing,
  pathsIn,
  type SignIn,
  starterMachine,
  testEngine,
  untilIs,
} from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024
const ROOM = 2048 * MIB

/** A file system that can be filled has to be mounted first. */
const hindrance =
  missing ?? (process.getuid?.() === 0 ? undefined : 'Only root can mount a small file system')
if (hindrance) console.log(`SKIPPED: ${hindrance}, so a full disk was not tested while memory is kept`)

describe.skipIf(hindrance !== undefined)('When the disk of the host gets full, memory that is kept', () => {
  let dataDir: string
  let engine: Engine
  let ssh: SignIn
  const notFrozen: unknown[] = []
  const [spec, copy] = [starterMachine('full-1'), starterMachine('copy-1')]
  const { id } = spec
  const snapshotId = randomUUID()

  const warm = () => join(dataDir, 'warm')
  const mount = (path: string) =>
    run('mount', ['-t', 'tmpfs', '-o', `size=${ROOM},mode=711`, 'slipway-test', path])
  const resize = (path: string, bytes: number) =>
    execFileSync('mount', ['-o', `remount,size=${Math.ceil(bytes / 4096) * 4096}`, path])
  function used(path: string): number {
    const { blocks, bfree, bsize } = statfsSync(path)
    return (blocks - bfree) * bsize
  }
  /** Leaves next to no room; some may be used before it is taken away. */
  function fillUp(path: string): unknown {
    for (let left = 4; left <= 128; left *= 2) {
      try {
        return resize(path, used(path) + left * MIB)
      } catch {
        // Somebody was faster.
      }
    }
    throw new Error('The file system could not be filled')
  }
  /** Long work in whose middle the disk gets full; the first look at it is early enough. */
  function untilFull(): Work {
    let isFull = false
    const onProgress = () => {
      if (!isFull) fillUp(dataDir)
      isFull = true
    }
    return { ...work(), onProgress }
  }
  const ready = () => untilIs(engine, id, 'ready')
  const inGuest = async (command: string) => (await ssh((await ready()).address, command)).trim()
  const kept = async () =>
    (await pathsIn(dataDir)).filter((name) => /\/memory$|^warm\/.|^snapshots\/[^.]|\.new$/.test(name))
  async function expectUnharmed(run: string, before: string[]): Promise<void> {
    expect(await ready()).toMatchObject({ run })
    expect(await inGuest('echo alive > /root/alive; sync; cat /root/alive')).toBe('alive')
    expect(await inGuest('dmesg | grep -ci "i/o error" || true')).toBe('0')
    expect(await kept()).toEqual(before)
  }

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-full-'))
    await mount(dataDir)
    await mkdir(warm())
    await mount(warm())
    const key = await makeKey(join(dataDir, 'key'))
    ssh = key.ssh
    spec.sshPublicKeys = copy.sshPublicKeys = [key.publicKey]
    const log = {
      ...silentLog,
      warn: (what: unknown, message?: string) => {
        if (message?.startsWith('No guest could be frozen')) notFrozen.push(what)
      },
    }
    engine = await testEngine(dataDir, { warm: true, log })
    await engine.open()
  })
  afterAll(async () => {
    for (const one of [id, copy.id]) await engine.deleteMachine(one)
    await engine.close()
    for (const path of [warm(), dataDir]) await run('umount', ['--lazy', path])
    await rm(dataDir, { recursive: true, force: true })
  })

  test('of a guest that is being frozen leaves nothing, and the VM before it runs on', async () => {
    await engine.createMachine(spec)
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    while (!(await kept()).some((name) => name.endsWith('/memory'))) await sleep(5)
    fillUp(warm())
    while (notFrozen.length === 0) await sleep(50)
    resize(warm(), ROOM)
    const { run } = await ready()
    await expectUnharmed(run, [])
  })

  test('of a guest that is being suspended leaves nothing, and the guest runs on', async () => {
    const { run } = await ready()
    // More than is left, of what cannot be made smaller.
    await inGuest('dd if=/dev/urandom of=/dev/shm/much bs=1M count=60 2>/dev/null')
    const refusal = await engine.suspendMachine(id, untilFull()).catch((error: unknown) => error)
    resize(dataDir, ROOM)
    expect(refusal).toMatchObject({ code: 'no-space', retryable: true })
    await expectUnharmed(run, [])
    await engine.suspendMachine(id, work())
    await engine.startMachine(id, { freshRoot: false, volumeIds: [] })
    expect(await inGuest('wc -c < /dev/shm/much')).toBe(String(60 * MIB))
  })

  test('of a VM that is being copied leaves nothing, and the original runs on', async () => {
    const { run } = await ready()
    await inGuest('dd if=/dev/urandom of=/root/much bs=1M count=60 conv=fsync 2>/dev/null')
    await engine.createMachineSnapshot(snapshotId, { machineId: id, volumeIds: [], memory: true }, work())
    const before = await kept()
    const from = { snapshotId, volumes: {} }
    const refusal = await engine.copyMachine(copy, from, untilFull()).catch((error: unknown) => error)
    resize(dataDir, ROOM)
    expect(refusal).toMatchObject({ code: 'no-space', retryable: true })
    expect(await engine.inspect(copy.id)).toEqual({ power: 'absent' })
    await expectUnharmed(run, before)
    await engine.copyMachine(copy, from, work())
    expect(await engine.startMachine(copy.id, { freshRoot: false, volumeIds: [] })).toBeNull()
  })
})
