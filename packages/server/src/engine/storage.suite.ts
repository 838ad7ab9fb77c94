import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BOOT_ID,
  buildOnEachOther,
  COUNT_FOR_EVER,
  type Content,
  type EngineHarness,
  machineSpec,
  makeMoves,
  opened,
  PROJECT_ID,
  pathIn,
  volumeSpec,
  work,
} from './engine.test-kit.ts'
import type { Engine, Limits, VolumeSource, Work } from './engine.ts'

const MIB = 1024 * 1024

/**
 * The promises of the engine port about volumes and snapshots. What a disk holds is written and read inside a guest,
 * or by the harness where there is none.
 */
export function describeStorage(name: string, makeHarness: () => Promise<EngineHarness>): void {
  describe(`${name} as an engine with storage`, () => {
    buildOnEachOther()
    let harness: EngineHarness
    let engine: Engine
    const moves = makeMoves(name, () => ({ harness, engine }))
    const { done, until, detach, code, real, needs, remove, removeProject } = moves
    const [data, more] = [randomUUID(), randomUUID()]
    const [owner, other] = [machineSpec('owner-1'), machineSpec('other-1')]
    /** Everything that was made, so that nothing of it may be left. */
    const made: string[] = [data, more]
    function newId(): string {
      const id = randomUUID()
      made.push(id)
      return id
    }
    const [onDisk, full, safety, atRest] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]

    const start = async (volumeIds: string[], freshRoot = false) => {
      await done(engine.startMachine(owner.id, { freshRoot, volumeIds }))
      return until(owner.id, 'ready')
    }
    const powerOff = () => moves.powerOff(owner.id)
    const volume = (id: string, source: VolumeSource, sizeBytes = 0) =>
      done(engine.createVolume(volumeSpec(id, source, sizeBytes), work()))
    const snapshotVolume = (id: string, parentId: string | null, volumeId = data) =>
      done(engine.createVolumeSnapshot(id, { volumeId, parentId }, work()))
    const snapshot = (id: string, memory: boolean) =>
      done(engine.createMachineSnapshot(id, { machineId: owner.id, volumeIds: [data, more], memory }, work()))
    /** Takes the machine back to a snapshot and starts it as a caller without a lasting root would. */
    async function restore(snapshotId: string, safetyId: string, volumeIds: string[]) {
      made.push(safetyId)
      await done(engine.prepareRestore(owner.id, { snapshotId, volumeIds: [data, more] }, work()))
      await powerOff()
      const outcome = await done(engine.switchDisks(owner.id, safetyId, work()))
      await start(volumeIds, true)
      return outcome
    }

    const inGuest = (command: string) => moves.inGuest(owner.id, command)
    const write = (where: Content, text: string) => moves.write(owner.id, where, text)
    const read = (where: Content) => moves.read(owner.id, where)
    /** What a snapshot of a volume holds, and of how many bytes. */
    async function contentOf(snapshotId: string): Promise<{ text: string; sizeBytes: number }> {
      const volumeId = newId()
      const { sizeBytes } = await volume(volumeId, { from: 'volume-snapshot', snapshotId })
      await done(engine.attachVolume(owner.id, volumeId))
      const text = await read({ volumeId })
      await detach(owner.id, volumeId)
      await done(engine.deleteVolume(volumeId))
      return { text, sizeBytes }
    }
    /** Tests that look at content need something that keeps it. */
    function needsContent(skip: (note: string) => never): void {
      if (!harness.ssh) real('poke', skip)
    }
    const keepsContent = (): boolean => harness.ssh !== undefined || harness.peek !== undefined
    const can = (what: keyof Limits): boolean => engine.capabilities.cannot[what] === null
    const rootOf = (id: string): Content => ({ machineId: id })

    beforeAll(async () => {
      ;({ harness, engine } = await opened(makeHarness, owner, other))
      await moves.imageIsReady()
      await done(Promise.all([engine.createMachine(owner), engine.createMachine(other)]))
    })
    afterAll(async () => {
      await Promise.all([owner.id, other.id].map(remove))
      await engine.close()
      await harness.cleanUp()
    })

    test('a volume that does not exist is absent, and deleting it succeeds', async () => {
      const id = randomUUID()
      await done(engine.deleteVolume(id))
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
      expect(await engine.listVolumes()).toEqual([])
    })

    test('making a volume twice at once makes one of the size it was asked for', async () => {
      const make = () => engine.createVolume(volumeSpec(data, { from: 'nothing' }, 64 * MIB), work())
      const [one, another] = await done(Promise.all([make(), make()]))
      expect(one).toMatchObject({ sizeBytes: 64 * MIB, sha256: null })
      expect(another.sizeBytes).toBe(one.sizeBytes)
      await volume(more, { from: 'nothing' }, 32 * MIB)
      expect(await engine.inspectVolume(data)).toEqual({ state: 'whole', sizeBytes: 64 * MIB })
      expect((await engine.listVolumes()).sort()).toEqual([data, more].sort())
    })

    test('a volume of a snapshot that does not exist is not made', async () => {
      const id = randomUUID()
      for (const from of ['volume-snapshot', 'machine-snapshot'] as const) {
        const making = engine.createVolume(volumeSpec(id, { from, snapshotId: randomUUID() }, 0), work())
        expect(await code(making)).toBe('snapshot-missing')
      }
      expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
    })

    test('a volume is there from the start, and another one comes while the guest runs', async () => {
      await start([data])
      await done(engine.attachVolume(owner.id, more))
      await done(engine.attachVolume(owner.id, more))
      await write({ volumeId: data }, 'data one')
      await write({ volumeId: more }, 'more one')
      if (harness.ssh)
        expect(await inGuest(`blockdev --getsize64 ${pathIn({ volumeId: more })}`)).toBe(`${32 * MIB}\n`)
    })

    test('what one guest has no other one gets, and nobody deletes', async () => {
      expect(await code(engine.attachVolume(other.id, more))).toBe('volume-busy')
      expect(await code(engine.deleteVolume(more))).toBe('volume-busy')
      expect(await engine.inspectVolume(more)).toMatchObject({ state: 'whole' })
    })

    test('a guest gives back a volume while it runs, and another guest may have it', async () => {
      await detach(owner.id, more)
      await detach(owner.id, more)
      const serials = 'cat /sys/block/vd*/serial; cat /sys/block/sd*/device/vpd_pg80 2>/dev/null || true'
      if (harness.ssh) expect(await inGuest(serials)).not.toContain(more.slice(0, 20))
      await done(engine.attachVolume(other.id, more))
      await detach(other.id, more)
      await done(engine.attachVolume(owner.id, more))
    })

    test('a volume that was put on or taken off while a guest ran is so for a new engine', async () => {
      await done(engine.attachVolume(owner.id, more))
      await engine.close()
      engine = await harness.open()
      expect(await code(engine.deleteVolume(more))).toBe('volume-busy')
      // A new engine may not reach a guest at once on a busy host.
      await until(owner.id, 'ready')
      await detach(owner.id, more)
      await done(engine.attachVolume(owner.id, more))
    })

    test('a snapshot of a living guest is made once, and the guest runs on', async () => {
      await write(rootOf(owner.id), 'root one')
      const before = await until(owner.id, 'ready')
      const boot = harness.ssh && (await inGuest(BOOT_ID))
      const [one, another] = await done(Promise.all([snapshot(onDisk, false), snapshot(onDisk, false)]))
      expect(one).toMatchObject({ memory: false, storedBytes: expect.any(Number) })
      expect(one.volumeIds.toSorted()).toEqual([data, more].sort())
      expect(['crash', 'frozen']).toContain(one.consistency)
      expect(another).toEqual(one)
      expect(await engine.inspect(owner.id)).toEqual(before)
      if (harness.ssh) expect(await inGuest(BOOT_ID)).toBe(boot)
      expect(await engine.inspectSnapshot('machine', onDisk)).toEqual({ state: 'whole' })
      expect(await engine.listSnapshots('machine')).toEqual([onDisk])
    })

    test('a restore brings back root disk and volumes, and the next start leaves them so', async () => {
      await write(rootOf(owner.id), 'root two')
      await write({ volumeId: data }, 'data two')
      await write({ volumeId: more }, 'more two')
      const outcome = await restore(onDisk, safety, [data, more])
      expect(outcome.memory).toBe(false)
      if (!keepsContent()) return
      expect(await read(rootOf(owner.id))).toBe('root one')
      expect(await read({ volumeId: data })).toBe('data one')
      expect(await read({ volumeId: more })).toBe('more one')
    })

    test('putting disks in place again changes nothing, and what they replaced is a snapshot', async () => {
      await powerOff()
      expect(await code(engine.switchDisks(owner.id, safety, work()))).toBe('no error')
      expect(await code(engine.switchDisks(owner.id, randomUUID(), work()))).toBe('snapshot-missing')
      expect(await engine.inspectSnapshot('machine', safety)).toEqual({ state: 'whole' })
    })

    test('the safety point undoes a restore', async ({ skip }) => {
      needsContent(skip)
      await restore(safety, randomUUID(), [data, more])
      expect(await read(rootOf(owner.id))).toBe('root two')
      expect(await read({ volumeId: data })).toBe('data two')
    })

    test('a prepared restore can be forgotten', async () => {
      const preparing = engine.prepareRestore(owner.id, { snapshotId: onDisk, volumeIds: [] }, work())
      await done(preparing)
      await done(engine.dropRestore(owner.id))
      await done(engine.dropRestore(owner.id))
      await powerOff()
      expect(await code(engine.switchDisks(owner.id, randomUUID(), work()))).toBe('snapshot-missing')
      await start([data, more])
    })

    test('a snapshot with memory goes on where the guest was', async ({ skip }) => {
      needsContent(skip)
      needs('memorySnapshots', skip)
      made.push(full)
      await write({ memoryOf: owner.id }, 'thought one')
      const boot = harness.ssh && (await inGuest(COUNT_FOR_EVER))
      const saved = await snapshot(full, true)
      expect(saved).toMatchObject({ memory: true, consistency: 'memory' })
      const countedThen = harness.ssh && Number(await inGuest('cat /tmp/count'))
      await write({ memoryOf: owner.id }, 'thought two')
      await write({ volumeId: data }, 'data three')

      const outcome = await restore(full, randomUUID(), [data, more])
      expect(outcome.memory).toBe(true)
      expect(await read({ memoryOf: owner.id })).toBe('thought one')
      expect(await read({ volumeId: data })).toBe('data two')
      if (!harness.ssh) return
      expect(await inGuest(BOOT_ID)).toBe(boot)
      const counted = async () => Number(await inGuest('cat /tmp/count'))
      const now = await counted()
      // It goes on from the snapshot, and has not been counting meanwhile.
      expect(now).toBeLessThan((countedThen ?? 0) + 600)
      await expect.poll(counted).toBeGreaterThan(now)
    })

    test('the start after that boots', async ({ skip }) => {
      needsContent(skip)
      await powerOff()
      await start([data, more])
      expect(await read({ memoryOf: owner.id })).toBe('')
      expect(await read({ volumeId: data })).toBe('data two')
    })

    test('a snapshot of a stopped machine is clean', async () => {
      made.push(atRest)
      await powerOff()
      // Asked for both volumes, and told which of them it holds.
      await detach(owner.id, more)
      const taken = await snapshot(atRest, can('memorySnapshots'))
      expect(taken).toMatchObject({ memory: false, consistency: 'clean', volumeIds: [data] })
      expect(await engine.inspectSnapshot('machine', atRest)).toEqual({ state: 'whole' })
      await start([data])
    })

    test('a volume made of a machine snapshot holds its root disk', async ({ skip }) => {
      needsContent(skip)
      const root = newId()
      const { sizeBytes } = await volume(root, { from: 'machine-snapshot', snapshotId: onDisk })
      expect(await engine.inspectVolume(root)).toEqual({ state: 'whole', sizeBytes })
      await done(engine.attachVolume(owner.id, root))
      if (harness.ssh) {
        const look = 'mount -t ext4 -o ro $path /mnt; cat /mnt/root/content; umount /mnt'
        expect(await inGuest(`path=${pathIn({ volumeId: root })}; ${look}`)).toBe('root one\n')
      } else expect(await read({ volumeId: root })).toBe('root one')
      await detach(owner.id, root)
      await done(engine.deleteVolume(root))
    })

    const chain = Array.from({ length: 6 }, () => randomUUID())
    const link = (index: number) => chain[index] ?? ''

    test('snapshots of a volume build a chain, of which each stores what changed', async () => {
      made.push(...chain)
      const sizes: number[] = []
      for (const [index, id] of chain.entries()) {
        if (index === 0 && harness.ssh)
          await inGuest(`dd if=/dev/urandom of=${pathIn({ volumeId: data })} bs=1M count=8 2>/dev/null`)
        await write({ volumeId: data }, `data at ${index}`)
        const parentId = index === 0 || !can('incrementalSnapshots') ? null : link(index - 1)
        const taken = await snapshotVolume(id, parentId)
        expect(taken.parentId).toBe(parentId)
        expect(['crash', 'frozen']).toContain(taken.consistency)
        expect(await snapshotVolume(id, parentId)).toEqual(taken)
        sizes.push(taken.storedBytes)
      }
      if (harness.ssh && can('incrementalSnapshots')) expect(sizes[5]).toBeLessThan((sizes[0] ?? 0) / 8)
      expect((await engine.listSnapshots('volume')).sort()).toEqual([...chain].sort())
    })

    test('deleting parts of a chain changes nothing of what the others hold', async ({ skip }) => {
      needsContent(skip)
      for (const index of [1, 2, 4, 0]) {
        await done(engine.deleteVolumeSnapshot(link(index), work()))
        await done(engine.deleteVolumeSnapshot(link(index), work()))
        expect(await engine.inspectSnapshot('volume', link(index))).toEqual({ state: 'absent' })
      }
      for (const index of [3, 5]) {
        expect(await engine.inspectSnapshot('volume', link(index))).toEqual({ state: 'whole' })
        expect(await contentOf(link(index))).toEqual({ text: `data at ${index}`, sizeBytes: 64 * MIB })
      }
    })

    test('a snapshot on which several build can go', async ({ skip }) => {
      needsContent(skip)
      needs('incrementalSnapshots', skip)
      const [base, left, right] = [newId(), newId(), newId()]
      await write({ volumeId: data }, 'data at base')
      await snapshotVolume(base, null)
      await write({ volumeId: data }, 'data at left')
      await snapshotVolume(left, base)
      await write({ volumeId: data }, 'data at right')
      await snapshotVolume(right, base)
      await done(engine.deleteVolumeSnapshot(base, work()))
      expect((await contentOf(left)).text).toBe('data at left')
      expect((await contentOf(right)).text).toBe('data at right')
      for (const id of [left, right]) await done(engine.deleteVolumeSnapshot(id, work()))
    })

    test('a snapshot and the one it builds upon can go at the same time', async ({ skip }) => {
      needs('incrementalSnapshots', skip)
      const [base, child] = [newId(), newId()]
      await snapshotVolume(base, null)
      expect((await snapshotVolume(child, base)).parentId).toBe(base)
      await done(Promise.all([base, child].map((id) => engine.deleteVolumeSnapshot(id, work()))))
      const left = await engine.listSnapshots('volume')
      for (const id of [base, child]) expect(left).not.toContain(id)
    })

    test('a snapshot stores everything when its parent is of another volume or gone', async ({ skip }) => {
      needs('incrementalSnapshots', skip)
      const [of, on, after] = [newId(), newId(), newId()]
      expect((await snapshotVolume(of, null, more)).parentId).toBe(null)
      expect((await snapshotVolume(on, of)).parentId).toBe(null)
      await done(engine.deleteVolumeSnapshot(on, work()))
      expect((await snapshotVolume(after, on)).parentId).toBe(null)
      for (const id of [of, after]) await done(engine.deleteVolumeSnapshot(id, work()))
    })

    test('a snapshot of a volume that no guest has is clean, and goes on in its chain', async ({ skip }) => {
      needsContent(skip)
      needs('incrementalSnapshots', skip)
      const [one, another] = [newId(), newId()]
      await done(engine.attachVolume(owner.id, more))
      await write({ volumeId: more }, 'more at rest')
      expect((await snapshotVolume(one, null, more)).consistency).not.toBe('clean')
      await detach(owner.id, more)
      const taken = await snapshotVolume(another, one, more)
      expect(taken).toMatchObject({ consistency: 'clean', parentId: one })
      expect((await contentOf(another)).text).toBe('more at rest')
      for (const id of [one, another]) await done(engine.deleteVolumeSnapshot(id, work()))
    })

    test('a volume becomes larger, while a guest has it or not, and never smaller', async ({ skip }) => {
      needs('growDisks', skip)
      const at = newId()
      expect(await code(engine.growVolume(at, null, MIB))).toBe('volume-missing')
      await start([data])
      const before = keepsContent() ? await read({ volumeId: data }) : ''
      const grown = 96 * MIB
      expect(await done(engine.growVolume(data, owner.id, grown))).toBe(grown)
      expect(await done(engine.growVolume(data, owner.id, MIB))).toBe(grown)
      expect(await engine.inspectVolume(data)).toEqual({ state: 'whole', sizeBytes: grown })
      if (keepsContent()) expect(await read({ volumeId: data })).toBe(before)
      if (harness.ssh) {
        const size = `blockdev --getsize64 ${pathIn({ volumeId: data })}`
        await expect.poll(() => inGuest(size)).toBe(`${grown}\n`)
      }
      await volume(at, { from: 'nothing' }, 32 * MIB)
      await done(engine.growVolume(at, null, 64 * MIB))
      expect(await engine.inspectVolume(at)).toEqual({ state: 'whole', sizeBytes: 64 * MIB })
      await done(engine.deleteVolume(at))
    })

    test('work that is ended leaves nothing, and can be done again', async () => {
      // The longest there is.
      const snapshotId = made.includes(full) ? full : onDisk
      const [machineId, volumeIds] = [owner.id, [data]]
      const [lost, lostVolume, lostSnapshot] = [randomUUID(), randomUUID(), randomUUID()]
      const long: { id: string; make: (work: Work) => Promise<unknown>; undo: () => Promise<unknown> }[] = [
        ...[false, can('memorySnapshots')].map((memory) => ({
          id: lost,
          make: (work: Work) => engine.createMachineSnapshot(lost, { machineId, volumeIds, memory }, work),
          undo: () => engine.deleteMachineSnapshot(lost),
        })),
        {
          id: lostSnapshot,
          make: (work) => engine.createVolumeSnapshot(lostSnapshot, { volumeId: data, parentId: null }, work),
          undo: () => engine.deleteVolumeSnapshot(lostSnapshot, work()),
        },
        {
          id: lostVolume,
          make: (work) =>
            engine.createVolume(
              volumeSpec(lostVolume, { from: 'machine-snapshot', snapshotId: onDisk }, 0),
              work,
            ),
          undo: () => engine.deleteVolume(lostVolume),
        },
        {
          id: randomUUID(),
          make: (work) => engine.prepareRestore(machineId, { snapshotId, volumeIds }, work),
          undo: () => engine.dropRestore(machineId),
        },
      ]
      /** Where nothing tells how far it is, a moment is early enough; what was done by then gets a shorter one. */
      async function endedAfter(ms: number, { make, undo }: (typeof long)[number]): Promise<void> {
        const ending = new AbortController()
        const making = make({ signal: ending.signal, onProgress: () => ending.abort() })
        if (ms > 0) setTimeout(() => ending.abort(), ms)
        else ending.abort()
        const end = await code(making)
        if (end === 'aborted') return
        expect(end).toBe('no error')
        expect(ms).toBeGreaterThan(0)
        await done(undo())
        await endedAfter(Math.floor(ms / 2), { id: '', make, undo })
      }
      for (const one of long) {
        const { id } = one
        await endedAfter(5, one)
        expect(await engine.inspectSnapshot('machine', id)).toEqual({ state: 'absent' })
        expect(await engine.inspectSnapshot('volume', id)).toEqual({ state: 'absent' })
        expect(await engine.inspectVolume(id)).toEqual({ state: 'absent' })
        if (harness.traces) expect(await harness.traces(id)).toEqual({ processes: [], files: [] })
      }
      expect((await engine.inspect(owner.id)).power).toBe('ready')
      if (harness.ssh) expect(await inGuest('echo alive')).toBe('alive\n')
      await done(engine.createMachineSnapshot(lost, { machineId, volumeIds, memory: false }, work()))
      await done(engine.deleteMachineSnapshot(lost))
    })

    test('a guest that ends takes the snapshot of it along', async () => {
      const id = randomUUID()
      const source = { machineId: owner.id, volumeIds: [data], memory: can('memorySnapshots') }
      const ending = engine.createMachineSnapshot(id, source, work())
      const outcome = code(ending)
      // In the middle of the copy or, on a slow host, before it began.
      await harness.pass(100)
      await engine.powerOff(owner.id)
      const word = await outcome
      expect(['snapshot-lost', 'no error']).toContain(word)
      const state = word === 'no error' ? 'whole' : 'absent'
      expect(await engine.inspectSnapshot('machine', id)).toEqual({ state })
      await done(engine.deleteMachineSnapshot(id))
    })

    test('a restore leaves alone a volume that left the machine since it was prepared', async ({ skip }) => {
      needsContent(skip)
      needs('hotPlug', skip)
      const safetyId = newId()
      await start([data, more])
      await write({ volumeId: data }, 'data after')
      await write({ volumeId: more }, 'more after')
      await done(engine.prepareRestore(owner.id, { snapshotId: onDisk, volumeIds: [data, more] }, work()))
      await detach(owner.id, more)
      await powerOff()
      // Nor is the restore kept waiting by the machine that has it now.
      await done(engine.startMachine(other.id, { freshRoot: false, volumeIds: [more] }))
      await until(other.id, 'ready')
      const outcome = await done(engine.switchDisks(owner.id, safetyId, work()))
      expect(outcome.volumeIds).toEqual([data])
      expect(await done(engine.switchDisks(owner.id, safetyId, work()))).toEqual(outcome)
      await moves.powerOff(other.id)
      await start([data, more])
      expect(await read({ volumeId: data })).toBe('data one')
      expect(await read({ volumeId: more })).toBe('more after')
      await powerOff()
    })

    test('a snapshot outlives its machine, and brings it back', async ({ skip }) => {
      needsContent(skip)
      await remove(owner.id)
      expect(await engine.inspectSnapshot('machine', onDisk)).toEqual({ state: 'whole' })
      await done(engine.createMachine({ ...owner, volumeIds: [data] }))
      await restore(onDisk, randomUUID(), [data])
      expect(await read(rootOf(owner.id))).toBe('root one')
      expect(await read({ volumeId: data })).toBe('data one')
    })

    test('snapshots and volumes outlive the engine', async () => {
      const all = async () =>
        [await engine.listSnapshots('machine'), await engine.listSnapshots('volume')].map((ids) => ids.sort())
      const before = await all()
      await engine.close()
      engine = await harness.open()
      expect(await all()).toEqual(before)
      expect(await engine.inspectSnapshot('machine', onDisk)).toEqual({ state: 'whole' })
      expect(await engine.inspectVolume(data)).toMatchObject({ state: 'whole' })
    })

    test('what cannot be read is neither absent nor broken, and whole when it can be', async ({ skip }) => {
      const hide = real('hide', skip)
      const unreadable = { state: 'unreadable', reason: expect.stringMatching(/^[A-Z].*\.$/) }
      await powerOff()
      const size = await engine.inspectVolume(more)

      await hide({ volumeId: more }, true)
      expect(await engine.inspectVolume(more)).toEqual(unreadable)
      expect(await engine.listVolumes()).toContain(more)
      expect(await code(engine.createVolume(volumeSpec(more, { from: 'nothing' }, MIB), work()))).toBe(
        'internal',
      )
      await hide({ volumeId: more }, false)
      expect(await engine.inspectVolume(more)).toEqual(size)

      await hide({ machineSnapshotId: atRest }, true)
      expect(await engine.inspectSnapshot('machine', atRest)).toEqual(unreadable)
      expect(await engine.listSnapshots('machine')).toContain(atRest)
      await hide({ machineSnapshotId: atRest }, false)
      expect(await engine.inspectSnapshot('machine', atRest)).toEqual({ state: 'whole' })

      await hide({ volumeSnapshotId: link(5) }, true)
      expect(await engine.inspectSnapshot('volume', link(5))).toEqual(unreadable)
      expect(await engine.listSnapshots('volume')).toContain(link(5))
      await hide({ volumeSnapshotId: link(5) }, false)
      expect(await engine.inspectSnapshot('volume', link(5))).toEqual({ state: 'whole' })
    })

    test('volumes whose directory is not mounted are unreadable, and stay as they are', async ({ skip }) => {
      const unmountVolumes = real('unmountVolumes', skip)
      const before = (await engine.listVolumes()).sort()
      await unmountVolumes(true)
      expect(await engine.inspectVolume(data)).toMatchObject({ state: 'unreadable' })
      expect(await engine.inspectVolume(randomUUID())).toMatchObject({ state: 'unreadable' })
      expect(await code(engine.listVolumes())).toBe('internal')
      expect(
        await code(engine.createVolume(volumeSpec(randomUUID(), { from: 'nothing' }, MIB), work())),
      ).toBe('internal')
      expect(await code(engine.deleteVolume(data))).toBe('internal')
      await engine.close()
      engine = await harness.open()
      await unmountVolumes(false)
      expect((await engine.listVolumes()).sort()).toEqual(before)
      expect(await engine.inspectVolume(data)).toMatchObject({ state: 'whole' })
    })

    test('what is damaged is broken', async ({ skip }) => {
      const damage = real('damage', skip)
      const reason = expect.stringMatching(/^[A-Z].*\.$/)
      await powerOff()
      const check = (kind: 'machine' | 'volume', id: string) => done(engine.checkSnapshot(kind, id, work()))
      expect(await check('machine', atRest)).toEqual({ state: 'whole' })
      await damage({ machineSnapshotId: atRest })
      expect(await check('machine', atRest)).toEqual({ state: 'broken', reason })
      expect(await check('volume', link(5))).toEqual({ state: 'whole' })
      await damage({ volumeSnapshotId: link(5) })
      expect(await check('volume', link(5))).toEqual({ state: 'broken', reason })
      await damage({ volumeId: more })
      expect(await engine.inspectVolume(more)).toEqual({ state: 'broken', reason })
    })

    test('what a project has of its own goes last, and not while something is left', async () => {
      const kept = await engine.listProjects()
      expect(kept).toEqual(kept.length === 0 ? [] : [PROJECT_ID])
      if (kept.length > 0) expect(await code(engine.deleteProject(PROJECT_ID))).toBe('project-busy')
      expect(await engine.inspectVolume(data)).toMatchObject({ state: 'whole' })
      await done(engine.deleteProject(randomUUID()))
    })

    test('deleting leaves nothing', async () => {
      await Promise.all([owner.id, other.id].map(remove))
      for (const id of await engine.listSnapshots('machine')) await done(engine.deleteMachineSnapshot(id))
      for (const id of await engine.listSnapshots('volume'))
        await done(engine.deleteVolumeSnapshot(id, work()))
      for (const id of await engine.listVolumes()) await done(engine.deleteVolume(id))
      await done(engine.deleteMachineSnapshot(onDisk))
      expect(await engine.listSnapshots('machine')).toEqual([])
      expect(await engine.listSnapshots('volume')).toEqual([])
      expect(await engine.listVolumes()).toEqual([])
      await removeProject()
      await removeProject()
      if (!harness.traces) return
      for (const id of [...made, onDisk, owner.id, other.id]) {
        expect(await harness.traces(id)).toEqual({ processes: [], files: [] })
      }
    })
  })
}
