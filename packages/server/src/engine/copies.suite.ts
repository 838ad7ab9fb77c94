import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  buildOnEachOther,
  COUNT_FOR_EVER,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine, MachineSpec } from './engine.ts'

/**
 * The promises of the engine port about copies of machines. Where the harness has a real guest, something counts in it.
 */
export function describeCopies(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine that copies machines`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, code, inGuest } = moves
    const [data, copyOfData, full] = [randomUUID(), randomUUID(), randomUUID()]
    // A copy keeps the root disk it was made with in its first start all the same.
    const persistent = false
    const source = machineSpec('source-1', { volumeIds: [data], persistent })
    const one = machineSpec('copy-1', { volumeIds: [copyOfData], persistent })
    const other = machineSpec('copy-2', { persistent })

    function needsCopies(skip: (note: string) => never): void {
      for (const what of ['copies', 'memorySnapshots'] as const) moves.needs(what, skip)
    }
    const start = ({ id, volumeIds }: MachineSpec) =>
      done(engine.startMachine(id, { freshRoot: true, volumeIds }))
    const rootOf = ({ id }: MachineSpec) => moves.read(id, { machineId: id })
    const IDENTITY = [
      'hostname',
      'cat /etc/machine-id',
      'dropbearkey -y -f /etc/dropbear/dropbear_ed25519_host_key 2>/dev/null | grep ^ssh',
      'head -c16 /dev/urandom | od -An -tx1',
    ]
    const whoIs = async ({ id }: MachineSpec) => (await inGuest(id, IDENTITY.join('; '))).split('\n')

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, source, one, other))
    })
    afterAll(async () => {
      for (const { id } of [source, one, other]) await moves.remove(id)
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
      await moves.imageIsReady()
      await done(engine.createVolume(volumeSpec(data, { from: 'nothing' }, 64 * 1024 * 1024), work()))
      await done(engine.createMachine(source))
      await start(source)
      await until(source.id, 'ready')
      await moves.write(source.id, { machineId: source.id }, 'on the root disk')
      await moves.write(source.id, { volumeId: data }, 'on the volume')
      if (harness.ssh) await inGuest(source.id, COUNT_FOR_EVER)
      else await moves.write(source.id, { memoryOf: source.id }, 'in memory')
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
      const before = harness.ssh ? Number(await inGuest(source.id, 'cat /tmp/count')) : 0
      await start(one)
      const ready = await until(one.id, 'ready')
      expect(ready.address).not.toEqual((await until(source.id, 'ready')).address)
      expect(await rootOf(one)).toBe('on the root disk')
      expect(await moves.read(one.id, { volumeId: copyOfData })).toBe('on the volume')
      if (!harness.ssh) return expect(await moves.read(one.id, { memoryOf: one.id })).toBe('in memory')
      const counted = Number(await inGuest(one.id, 'cat /tmp/count'))
      expect(counted).toBeGreaterThan(0)
      await harness.pass(1_000)
      expect(Number(await inGuest(one.id, 'cat /tmp/count'))).toBeGreaterThan(counted)
      expect(Number(await inGuest(source.id, 'cat /tmp/count'))).toBeGreaterThan(before)
      const [mine, theirs] = [await whoIs(one), await whoIs(source)]
      expect(mine[0]).toBe('copy-1')
      expect(theirs[0]).toBe('source-1')
      expect(mine.length).toBeGreaterThanOrEqual(IDENTITY.length)
      for (const [index, fact] of mine.entries()) if (fact) expect(fact).not.toBe(theirs[index])
    }, 300_000)

    test('what a copy writes is its own', async ({ skip }) => {
      needsCopies(skip)
      await moves.write(one.id, { machineId: one.id }, 'of the copy')
      await moves.write(one.id, { volumeId: copyOfData }, 'of the copy')
      expect(await rootOf(source)).toBe('on the root disk')
      expect(await moves.read(source.id, { volumeId: data })).toBe('on the volume')
    }, 120_000)

    test('a copy whose memory is of no use boots from its disk, as somebody else', async ({ skip }) => {
      needsCopies(skip)
      await start(other)
      await until(other.id, 'ready')
      expect(await rootOf(other)).toBe('on the root disk')
      if (harness.ssh) expect(await inGuest(other.id, 'hostname')).toBe('copy-2\n')
    }, 300_000)
  })
}
