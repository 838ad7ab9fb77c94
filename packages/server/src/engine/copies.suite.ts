import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  COUNT_FOR_EVER,
  type Content,
  type EngineHarness,
  makeMoves,
  PROJECT_ID,
  pathIn,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine, MachineSpec } from './engine.ts'

/**
 * The promises of the engine port about copies of machines. Where the harness has a real guest, something counts in it. The
 * tests build on each other, because a guest takes its time.
 */
export function describeCopies(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine that copies machines`, () => {
    let harness: EngineHarness
    let engine: Engine
    const { done, until, code, imageIsReady } = makeMoves(name, () => ({ harness, engine }))
    const [data, copyOfData, full] = [randomUUID(), randomUUID(), randomUUID()]
    const source: MachineSpec = {
      id: randomUUID(),
      projectId: PROJECT_ID,
      hostname: 'source-1',
      cpu: 1,
      memoryMb: 256,
      imageId: '',
      sshPublicKeys: [],
      volumeIds: [data],
      // A copy keeps the root disk it was made with in its first start all the same.
      persistent: false,
    }
    const [one, other] = [1, 2].map(
      (number): MachineSpec => ({ ...source, id: randomUUID(), hostname: `copy-${number}`, volumeIds: [] }),
    ) as [MachineSpec, MachineSpec]
    one.volumeIds = [copyOfData]

    function needsCopies(skip: (note: string) => never): void {
      const { copies, memorySnapshots } = engine.capabilities.cannot
      if (copies !== null) skip(copies)
      if (memorySnapshots !== null) skip(memorySnapshots)
    }
    const start = ({ id, volumeIds }: MachineSpec) =>
      done(engine.startMachine(id, { freshRoot: true, volumeIds }))
    async function inGuest({ id }: MachineSpec, command: string): Promise<string> {
      const { address } = await until(id, 'ready')
      return (await harness.ssh?.(address, command)) ?? ''
    }
    async function write(machine: MachineSpec, where: Content, text: string): Promise<void> {
      if (harness.ssh)
        await inGuest(machine, `path=${pathIn(where)}; echo '${text}' | dd of=$path conv=fsync 2>/dev/null`)
      else await harness.poke?.(where, text)
    }
    async function read(machine: MachineSpec, where: Content): Promise<string> {
      if (harness.ssh)
        return (await inGuest(machine, `path=${pathIn(where)}; head -n1 $path 2>/dev/null || true`)).trim()
      return (await harness.peek?.(where)) ?? ''
    }
    const IDENTITY = [
      'hostname',
      'cat /etc/machine-id',
      'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key 2>/dev/null | grep ^ssh',
      'head -c16 /dev/urandom | od -An -tx1',
    ]
    const whoIs = async (machine: MachineSpec) => (await inGuest(machine, IDENTITY.join('; '))).split('\n')

    beforeAll(async () => {
      harness = await makeHarness()
      for (const spec of [source, one, other]) {
        spec.imageId = harness.imageId
        spec.sshPublicKeys = [harness.sshPublicKey]
      }
      engine = await harness.open()
    })
    afterAll(async () => {
      for (const { id } of [source, one, other]) {
        await done(engine.deleteMachine(id))
        await until(id, 'absent')
      }
      for (const id of [data, copyOfData]) await done(engine.deleteVolume(id))
      await done(engine.deleteMachineSnapshot(full))
      await engine.close()
      await harness.cleanUp()
    })

    test('an engine that cannot says so, and makes none', async ({ skip }) => {
      const { copies } = engine.capabilities.cannot
      if (copies === null) skip('It can')
      const from = { snapshotId: full, volumes: {} }
      expect(await code(engine.copyMachine(one, from, work()))).toBe('unsupported')
      expect(await engine.inspect(one.id)).toEqual({ power: 'absent' })
    })

    test('a machine runs that is worth a copy', async ({ skip }) => {
      needsCopies(skip)
      await imageIsReady()
      await done(engine.createVolume(volumeSpec(data, { from: 'nothing' }, 64 * 1024 * 1024), work()))
      await done(engine.createMachine(source))
      await start(source)
      await until(source.id, 'ready')
      await write(source, { machineId: source.id }, 'on the root disk')
      await write(source, { volumeId: data }, 'on the volume')
      if (harness.ssh) await inGuest(source, COUNT_FOR_EVER)
      else await write(source, { memoryOf: source.id }, 'in memory')
    }, 300_000)

    test('there is none without the snapshot', async ({ skip }) => {
      needsCopies(skip)
      const from = { snapshotId: randomUUID(), volumes: {} }
      expect(await code(engine.copyMachine(one, from, work()))).toBe('snapshot-missing')
      expect(await engine.inspect(one.id)).toEqual({ power: 'absent' })
    })

    test('one that is ended leaves nothing', async ({ skip }) => {
      needsCopies(skip)
      const taken = { machineId: source.id, volumeIds: [data], memory: true }
      await done(engine.createMachineSnapshot(full, taken, work()))
      const from = { snapshotId: full, volumes: { [data]: copyOfData } }
      const ended = { signal: AbortSignal.abort(), onProgress: () => {} }
      expect(await code(engine.copyMachine(one, from, ended))).toBe('aborted')
      expect(await engine.inspect(one.id)).toEqual({ power: 'absent' })
      expect((await harness.traces?.(one.id))?.files ?? []).toEqual([])
    }, 120_000)

    test('two at once make one, which is off, over a restart of the server as well', async ({ skip }) => {
      needsCopies(skip)
      const fromVolume = { from: 'machine-snapshot', snapshotId: full, volumeId: data } as const
      await done(engine.createVolume(volumeSpec(copyOfData, fromVolume, 64 * 1024 * 1024), work()))
      const from = { snapshotId: full, volumes: { [data]: copyOfData } }
      await done(Promise.all([1, 2].map(() => engine.copyMachine(one, from, work()))))
      // Without the volume that was on it, its memory is of no use.
      await done(engine.copyMachine(other, { snapshotId: full, volumes: {} }, work()))
      await engine.close()
      engine = await harness.open()
      for (const { id } of [one, other])
        expect(await engine.inspect(id)).toEqual({ power: 'off', run: null, exit: null })
    }, 120_000)

    test('a copy goes on from memory and disks, without its snapshot, as somebody else', async ({ skip }) => {
      needsCopies(skip)
      await done(engine.deleteMachineSnapshot(full))
      const before = harness.ssh ? Number(await inGuest(source, 'cat /tmp/count')) : 0
      await start(one)
      const ready = await until(one.id, 'ready')
      expect(ready.address).not.toEqual((await until(source.id, 'ready')).address)
      expect(await read(one, { machineId: one.id })).toBe('on the root disk')
      expect(await read(one, { volumeId: copyOfData })).toBe('on the volume')
      if (!harness.ssh) return expect(await read(one, { memoryOf: one.id })).toBe('in memory')
      const counted = Number(await inGuest(one, 'cat /tmp/count'))
      expect(counted).toBeGreaterThan(0)
      await harness.pass(1_000)
      expect(Number(await inGuest(one, 'cat /tmp/count'))).toBeGreaterThan(counted)
      expect(Number(await inGuest(source, 'cat /tmp/count'))).toBeGreaterThan(before)
      const [mine, theirs] = [await whoIs(one), await whoIs(source)]
      expect(mine[0]).toBe('copy-1')
      expect(theirs[0]).toBe('source-1')
      expect(mine.length).toBeGreaterThanOrEqual(IDENTITY.length)
      for (const [index, fact] of mine.entries()) if (fact) expect(fact).not.toBe(theirs[index])
    }, 300_000)

    test('what a copy writes is its own', async ({ skip }) => {
      needsCopies(skip)
      await write(one, { machineId: one.id }, 'of the copy')
      await write(one, { volumeId: copyOfData }, 'of the copy')
      expect(await read(source, { machineId: source.id })).toBe('on the root disk')
      expect(await read(source, { volumeId: data })).toBe('on the volume')
    }, 120_000)

    test('a copy whose memory is of no use boots from its disk, as somebody else', async ({ skip }) => {
      needsCopies(skip)
      await start(other)
      await until(other.id, 'ready')
      expect(await read(other, { machineId: other.id })).toBe('on the root disk')
      if (harness.ssh) expect(await inGuest(other, 'hostname')).toBe('copy-2\n')
    }, 300_000)
  })
}
