// @module-tag full
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, statfsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { run } from '../../lib/command.ts'
import { connectUnix } from '../../lib/unix-socket.ts'
import { volumeSpec, work } from '../engine.test-kit.ts'
import type { Engine } from '../engine.ts'
import {
  makeKey,
  missing,
  pathsIn,
  processesOf,
  type SignIn,
  starterMachine,
  startServer,
  testEngine,
  untilIs,
} from './qemu-engine.test-kit.ts'

const MIB = 1024 * 1024
const data = randomUUID()
const base = randomUUID()
const child = randomUUID()
const onDisk = randomUUID()
const machineId = randomUUID()
const spec = starterMachine('storage-1', { id: machineId, volumeIds: [data] })

/** Copies that take long enough to be disturbed: of a volume full of bytes, on a living machine. */
const made = randomUUID()
const living = { machineId, volumeIds: [data] }
const ofBase = volumeSpec(made, { from: 'volume-snapshot', snapshotId: base }, 0)
const copies = (
  [
    ['a snapshot of a machine', 'createMachineSnapshot', made, { ...living, memory: false }],
    ['a snapshot of a machine and its memory', 'createMachineSnapshot', made, { ...living, memory: true }],
    ['a snapshot of a volume', 'createVolumeSnapshot', made, { volumeId: data, parentId: null }],
    ['a volume of a snapshot', 'createVolume', ofBase],
    ['a restore being prepared', 'prepareRestore', machineId, { snapshotId: onDisk, volumeIds: [data] }],
  ] as const
).map(([title, method, ...args]) => ({ title, method, args }))

type Call = (...args: unknown[]) => Promise<unknown>
/** The call of one of the copies; the arguments stand beside its name in the list. */
const begin = (engine: Engine, { method, args }: (typeof copies)[number], doing = work()): Promise<unknown> =>
  (engine[method] as Call)(...args, doing)

/** A server that begins one call, says when it is under way, and stays. */
const callAndStay = `
  const [dataDir, method, args] = process.argv.slice(1)
  const { testEngine } = await import('./qemu-engine.test-kit.ts')
  const engine = await testEngine(dataDir)
  await engine.open()
  const work = { signal: new AbortController().signal, onProgress: () => process.stdout.write('under way') }
  const end = (how) => process.stdout.write(how)
  engine[method](...JSON.parse(args), work).then(() => end('done'), (error) => end(String(error)))
  setInterval(() => {}, 60_000)
`

/** A file system that can be filled has to be mounted first. */
const hindrance =
  missing ?? (process.getuid?.() === 0 ? undefined : 'Only root can mount a small file system')
if (hindrance) console.log(`SKIPPED: ${hindrance}, so QEMU's storage was not tested on bad days`)

describe.skipIf(hindrance !== undefined)("QEMU's storage when things go wrong", () => {
  let dataDir: string
  let engine: Engine
  let ssh: SignIn

  async function openEngine(): Promise<Engine> {
    const fresh = await testEngine(dataDir)
    await fresh.open()
    return fresh
  }
  const inGuest = async (command: string) => ssh((await untilIs(engine, machineId, 'ready')).address, command)
  /** A guest on a busy host may keep a disk for longer than the engine waits: then it is asked again. */
  const detach = (volumeId: string) =>
    expect.poll(() => engine.detachVolume(machineId, volumeId, work())).toBe('released')
  async function start(volumeIds = [data]) {
    await engine.startMachine(machineId, { freshRoot: false, volumeIds })
    await untilIs(engine, machineId, 'ready')
  }
  /** Every file but those a running machine comes and goes with. */
  const ownFiles = (names: string[]) =>
    names.filter((name) => !/accelerator|machines\/[^/]+\/(?!restore|lent|memory)/.test(name)).sort()
  const files = async () => ownFiles(await pathsIn(dataDir))
  const forget = async () => {
    await engine.deleteMachineSnapshot(made)
    await engine.deleteVolumeSnapshot(made, work())
    await engine.deleteVolume(made)
    await engine.dropRestore(machineId)
  }
  /** What must hold after whatever happened: nothing half-made, the guest alive, and the call can be made. */
  async function expectUnharmed(copy: (typeof copies)[number], before: string[], run: string | null) {
    expect(await files()).toEqual(before)
    const state = await engine.inspect(machineId)
    if (run !== null) expect(state).toMatchObject({ run })
    expect(await inGuest('dmesg | grep -ci "i/o error" || true')).toBe('0\n')
    expect(await inGuest(`echo alive > /root/alive; sync; cat /root/alive`)).toBe('alive\n')
    await begin(engine, copy)
    await forget()
    expect(await files()).toEqual(before)
  }
  /** Has a server of its own begin a call and kills it as soon as it says something, which this resolves with. */
  async function killedDuring(method: keyof Engine, args: readonly unknown[]): Promise<string> {
    await engine.close()
    const server = await startServer(callAndStay, dataDir, method, JSON.stringify(args))
    await server.kill()
    engine = await openEngine()
    return server.said
  }
  const runOf = async () => {
    const state = await engine.inspect(machineId)
    return 'run' in state ? state.run : null
  }

  beforeAll(async () => {
    // In memory and small, so that it can be filled.
    dataDir = await mkdtemp(join(tmpdir(), 'slipway-storage-'))
    await run('mount', ['-t', 'tmpfs', '-o', `size=${ROOM},mode=700`, 'slipway-test', dataDir])
    const key = await makeKey(join(dataDir, 'key'))
    ssh = key.ssh
    spec.sshPublicKeys = [key.publicKey]
    engine = await openEngine()
    await engine.createVolume(volumeSpec(data, { from: 'nothing' }, 640 * MIB), work())
    const path = join(dataDir, 'volumes', `${data}.qcow2`)
    await run('qemu-io', ['-f', 'qcow2', '-c', `write -q -P 7 1M ${512 * MIB}`, path])
    await engine.createMachine(spec)
    await start()
    await engine.createVolumeSnapshot(base, { volumeId: data, parentId: null }, work())
    await inGuest('echo changed | dd of=/dev/vdb bs=1M seek=2 conv=fsync 2>/dev/null')
    await engine.createVolumeSnapshot(child, { volumeId: data, parentId: base }, work())
    await engine.createMachineSnapshot(onDisk, { machineId, volumeIds: [data], memory: false }, work())
  })
  afterAll(async () => {
    await engine.deleteMachine(machineId)
    await engine.close()
    await run('umount', ['--lazy', dataDir])
    await rm(dataDir, { recursive: true, force: true })
  })

  describe.each(copies)('$title', (copy) => {
    // A try that failed may have left what the next one would take for its own, and no guest.
    beforeEach(async () => {
      await forget()
      if ((await engine.inspect(machineId)).power === 'off') await start()
    })

    test('does no harm when the server is killed in the middle of it', async () => {
      const [before, runBefore] = [await files(), await runOf()]
      expect(await killedDuring(copy.method, copy.args)).toMatch(/^under way/)
      await expectUnharmed(copy, before, runBefore)
    })

    test('does no harm when the disk of the host gets full in the middle of it', async () => {
      const [before, runBefore] = [await files(), await runOf()]
      const writing = inGuest(
        'for n in 1 2 3; do dd if=/dev/zero of=/dev/vdb bs=1M seek=300 count=60 conv=fsync; done 2>&1',
      )
      // As soon as a file of the copy is there: it has asked for room by then, and on a busy host all of it may be there
      // before its first progress, or its growth, is noticed.
      const watch = setInterval(() => {
        const names = ownFiles(readdirSync(dataDir, { encoding: 'utf8', recursive: true }))
        if (names.every((name) => before.includes(name))) return
        clearInterval(watch)
        fillUp(dataDir)
      }, 2)
      const refusal = await begin(engine, copy).catch((error: unknown) => error)
      clearInterval(watch)
      resize(dataDir, ROOM)
      expect(refusal).toMatchObject({ code: 'no-space', retryable: true })
      expect(String(refusal)).not.toMatch(/qemu|qcow2|\//i)
      expect(await writing).not.toMatch(/error/i)
      await expectUnharmed(copy, before, runBefore)
    })

    test('asks for room first, and says how much it takes', async () => {
      const before = await files()
      resize(dataDir, usedOf(dataDir) + 300 * MIB)
      const refusal = await begin(engine, copy).catch((error: unknown) => error)
      resize(dataDir, ROOM)
      expect(refusal).toMatchObject({
        code: 'no-space',
        message: expect.stringMatching(/[\d.]+ [GM]iB are needed/),
      })
      expect(await files()).toEqual(before)
    })
  })

  test.each(copies.filter(({ method }) => /Snapshot$/.test(method)))(
    '$title is lost with its guest, and leaves nothing',
    async (copy) => {
      const before = await files()
      const pids = await processesOf(machineId)
      const onProgress = () => {
        for (const pid of pids.splice(0)) process.kill(Number(pid), 'SIGKILL')
      }
      const killed = begin(engine, copy, { ...work(), onProgress })
      await expect(killed).rejects.toMatchObject({ code: 'snapshot-lost' })
      expect(await files()).toEqual(before)
      expect(await engine.inspect(machineId)).toMatchObject({ power: 'off', exit: { how: 'crashed' } })
      await start()
      await expectUnharmed(copy, before, null)
    },
  )

  test('a snapshot that is being deleted when the server is killed leaves its child readable', async () => {
    await killedDuring('deleteVolumeSnapshot', [base])
    const read = async () => {
      const path = join(dataDir, 'volume-snapshots', `${child}.qcow2`)
      const reads = ['-c', 'read -v 2M 8', '-c', 'read -P 7 3M 4M']
      const bytes = await run('qemu-io', ['-r', '-U', '-f', 'qcow2', ...reads, path])
      expect(bytes).toContain('changed')
      expect(bytes).not.toContain('Pattern verification failed')
      expect(await engine.inspectSnapshot('volume', child)).toEqual({ state: 'whole' })
    }
    await read()
    await engine.deleteVolumeSnapshot(base, work())
    await read()
    expect(await engine.listSnapshots('volume')).toEqual([child])
  })

  test('a guest that still boots keeps a disk it was asked for, and gives it back later', async () => {
    const more = randomUUID()
    await engine.createVolume(volumeSpec(more, { from: 'nothing' }, MIB), work())
    await engine.powerOff(machineId)
    await engine.startMachine(machineId, { freshRoot: false, volumeIds: [data, more] })
    expect(await engine.detachVolume(machineId, more, work())).toBe('kept')
    await expect(engine.deleteVolume(more)).rejects.toMatchObject({ code: 'volume-busy' })
    await untilIs(engine, machineId, 'ready')
    await detach(more)
    await engine.deleteVolume(more)
  })

  test('a guest gives back a disk it has mounted', async () => {
    const more = randomUUID()
    await engine.createVolume(volumeSpec(more, { from: 'nothing' }, 16 * MIB), work())
    await engine.attachVolume(machineId, more)
    const find = `for disk in /sys/block/vd*; do [ "$(cat $disk/serial)" = ${more.slice(0, 20)} ] && echo /dev/\${disk##*/}; done`
    await inGuest(
      `sleep 1; disk=$(${find}); mke2fs -q $disk; mount -t ext4 $disk /mnt; echo kept > /mnt/file; sync`,
    )
    await detach(more)
    await engine.attachVolume(machineId, more)
    const look = `sleep 1; umount -l /mnt; disk=$(${find}); mount -t ext4 $disk /mnt; cat /mnt/file; umount /mnt`
    expect(await inGuest(look)).toBe('kept\n')
    await detach(more)
    await engine.deleteVolume(more)
  })

  test('an agent in the guest freezes its file systems for a copy, and thaws them', async () => {
    const consistency = async () => {
      const source = { machineId, volumeIds: [], memory: false }
      const snapshot = await engine.createMachineSnapshot(made, source, work())
      await engine.deleteMachineSnapshot(made)
      return snapshot.consistency
    }
    // On a busy host the agent may take a while to be there.
    await expect.poll(consistency).toBe('frozen')
    expect(await inGuest('echo thawed > /root/thawed; sync; cat /root/thawed')).toBe('thawed\n')
  })

  test('a guest that a killed server left frozen is thawed', async () => {
    const { address } = await untilIs(engine, machineId, 'ready')
    await engine.close()
    const dir = join(dataDir, 'machines', machineId)
    const agent = await connectUnix(join(dir, 'agent.sock'))
    agent.write('{"execute":"guest-fsfreeze-freeze"}\n')
    expect(String(await once(agent, 'data'))).toContain('"return"')
    agent.destroy()
    await writeFile(join(dir, 'frozen'), '')
    const writing = ssh(address, 'echo written > /root/written && cat /root/written')
    engine = await openEngine()
    expect(await writing).toBe('written\n')
  })

  test('a restore of a suspended machine whose memory is missing is made without it', async () => {
    await engine.createMachineSnapshot(made, { machineId, volumeIds: [data], memory: false }, work())
    await engine.suspendMachine(machineId, work())
    await rm(join(dataDir, 'machines', machineId, 'memory'))
    await engine.prepareRestore(machineId, { snapshotId: made, volumeIds: [data] }, work())
    const safety = randomUUID()
    const outcome = await engine.switchDisks(machineId, safety, work())
    expect(outcome).toMatchObject({ memory: false, consistency: 'crash', volumeIds: [data] })
    expect(await engine.inspectSnapshot('machine', safety)).toEqual({ state: 'whole' })
    await engine.deleteMachineSnapshot(safety)
    await forget()
    await start()
  })

  test('a restore that was interrupted while it put disks in place is completed, from every point', async () => {
    await engine.powerOff(machineId)
    const dir = join(dataDir, 'machines', machineId)
    const volume = join(dataDir, 'volumes', `${data}.qcow2`)
    const mark = (text: string) => run('qemu-io', ['-f', 'qcow2', '-c', `write -q -P ${text} 0 4k`, volume])
    const readMark = (path: string, text: string) =>
      run('qemu-io', ['-r', '-f', 'qcow2', '-c', `read -P ${text} 0 4k`, path]).then(
        () => text,
        () => 'other',
      )
    await mark('0x11')
    await engine.createMachineSnapshot(made, { machineId, volumeIds: [data], memory: false }, work())
    const moves = (safety: string): [string, string][] => [
      [join(dir, 'root.qcow2'), join(safety, 'root.qcow2')],
      [join(dir, 'restore', 'root.qcow2'), join(dir, 'root.qcow2')],
      [volume, join(safety, `${data}.qcow2`)],
      [join(dir, 'restore', `${data}.qcow2`), volume],
    ]
    for (let point = 0; point <= moves('').length; point += 1) {
      await mark('0x22')
      const safetyId = randomUUID()
      const safety = join(dataDir, 'snapshots', safetyId)
      await engine.prepareRestore(machineId, { snapshotId: made, volumeIds: [data] }, work())
      await engine.close()
      const [record, prepared] = await Promise.all(
        ['machine.json', 'restore/prepared.json'].map((name) => readFile(join(dir, name), 'utf8')),
      )
      const swap = `{"safetyId":"${safetyId}","prepared":${prepared},"record":${record}}`
      await writeFile(join(dir, 'swap.json'), swap)
      await mkdir(safety)
      for (const [from, to] of moves(safety).slice(0, point)) await rename(from, to)
      engine = await openEngine()
      expect(await readMark(volume, '0x11')).toBe('0x11')
      expect(await readMark(join(safety, `${data}.qcow2`), '0x22')).toBe('0x22')
      expect(await engine.inspectSnapshot('machine', safetyId)).toEqual({ state: 'whole' })
      expect(await engine.switchDisks(machineId, safetyId, work())).toMatchObject({ consistency: 'clean' })
      expect((await readdir(dir)).filter((name) => /restore|swap/.test(name))).toEqual([])
      await engine.deleteMachineSnapshot(safetyId)
    }
    await start()
  })
})

/** Room of the file system the tests work on. */
const ROOM = 4096 * MIB

/** Makes the file system another size while it is in use. Waits in place: what it races with is another process. */
const resize = (path: string, bytes: number) =>
  execFileSync('mount', ['-o', `remount,size=${Math.ceil(bytes / 4096) * 4096}`, path], { stdio: 'ignore' })

function usedOf(path: string): number {
  const { blocks, bfree, bsize } = statfsSync(path)
  return (blocks - bfree) * bsize
}

/** Leaves next to no room. What is left may be used before it is taken away. */
function fillUp(path: string): void {
  for (let left = 16; left <= 512; left += 16) {
    try {
      resize(path, usedOf(path) + left * MIB)
      return
    } catch {
      // Somebody was faster.
    }
  }
  throw new Error('The file system could not be filled')
}
