import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../../lib/command.ts'
import { flush } from '../../lib/flush.ts'
import { EngineError, type MachineSnapshotMade, type Work } from '../engine.ts'
import { exists, move, readJson, writeDurably } from './durable.ts'
import { fileNames, type MachineDirs } from './machine-dir.ts'
import { type MachineSnapshots, ROOT } from './machine-snapshots.ts'
import { createRootDisk, endsWithUs, growFile, lookAtDisk, prove } from './qcow2.ts'
import { isPrepared, isSwap } from './record-shapes.ts'
import type { MachineManifest, MachineRecord, Prepared, Swap } from './records.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import { together } from './turns.ts'
import type { Volumes } from './volumes.ts'

const PREPARED = 'prepared.json'

/**
 * Restores in two halves: complete copies beside the machine's disks, while its guest may live on; then a swap by
 * moving files, which a crash may interrupt anywhere and the next process completes.
 */
export function makeRestore(deps: {
  dirs: MachineDirs
  volumes: Volumes
  snapshots: MachineSnapshots
  /** Throws while a living guest of another machine has a volume. */
  requireFree: (volumeId: string, machineId: string) => void
}) {
  const { dirs, volumes, snapshots, requireFree } = deps
  const dirOf = (machineId: string) => dirs.fileOf(machineId, fileNames.restore)
  const swapOf = (machineId: string) => dirs.fileOf(machineId, fileNames.swap)
  const copyOf = (machineId: string, name: string) => join(dirOf(machineId), name)
  const { images } = dirs

  async function readPrepared(id: string): Promise<Prepared | null> {
    const prepared = await readJson(copyOf(id, PREPARED), isPrepared)
    if (prepared) return foundIn(prepared)
    await dirs.requirePlace()
    return null
  }
  async function foundIn({ snapshot, ...prepared }: Prepared): Promise<Prepared> {
    return { ...prepared, snapshot: { ...snapshot, image: await images.found(snapshot.image) } }
  }
  const keptOf = ({ snapshot, ...prepared }: Prepared): Prepared => ({
    ...prepared,
    snapshot: { ...snapshot, image: images.kept(snapshot.image) },
  })
  async function readSwap(id: string): Promise<Swap | null> {
    const swap = await readJson(swapOf(id), isSwap)
    if (!swap) {
      await dirs.requirePlace()
      return null
    }
    const { safetyId, prepared, record } = swap
    return {
      safetyId,
      prepared: await foundIn(prepared),
      record: { ...record, image: await images.found(record.image) },
    }
  }

  /** Both moves look first whether they were made, so that the whole can be run again from any point. */
  async function exchange(current: string, prepared: string, safety: string): Promise<void> {
    if (!(await exists(prepared))) return
    if (!(await exists(safety))) await move(current, safety)
    await move(prepared, current)
  }

  /**
   * Puts the memory of the snapshot in place of the one that the machine would have gone on from.
   *
   * @returns what is kept of that one; null where there was none, or it is nothing to go back to
   */
  async function exchangeMemory(machineId: string, { safetyId, prepared, record }: Swap) {
    const current = dirs.fileOf(machineId, fileNames.memory)
    const next = copyOf(machineId, fileNames.memory)
    const saved = snapshots.memoryOf(safetyId)
    // The memory of another machine is nothing to go back to.
    const { memory: had = null, moved, copied } = record.restored ?? {}
    const fit = moved || copied ? null : had
    const isNextInPlace = prepared.snapshot.memory !== null && !(await exists(next))
    // One that is missing keeps nobody from going back to the snapshot.
    if (fit && !isNextInPlace && !(await exists(saved)) && (await exists(current))) await move(current, saved)
    if (await exists(next)) await move(next, current)
    return fit && (await exists(saved)) ? { fit, bytes: (await stat(saved)).size } : null
  }

  async function carryOut(machineId: string, { safetyId, prepared, record }: Swap): Promise<MachineManifest> {
    // The machine may have lost one since the swap was begun, with everything of it: a guest that has it now keeps it as it is.
    for (const id of prepared.volumeIds) requireFree(id, machineId)
    const safetyDir = snapshots.dirOf(safetyId)
    await snapshots.makeFilled(safetyId)
    const root = dirs.fileOf(machineId, fileNames.root)
    // A root disk that was lost leaves a safety point all the same: of the disk as it was at first.
    if (!(await exists(root)) && !(await exists(snapshots.diskOf(safetyId, ROOT)))) {
      await createRootDisk(
        root,
        record.image,
        await images.nameFrom(dirs.pathOf(machineId), record.image.disk),
        record.spec.rootBytes,
      )
    }
    await exchange(root, copyOf(machineId, `${ROOT}.qcow2`), snapshots.diskOf(safetyId, ROOT))
    const kept: string[] = []
    for (const id of prepared.volumeIds) {
      const saved = snapshots.diskOf(safetyId, id)
      // A volume deleted since stays deleted.
      if ((await volumes.isThere(id)) || (await exists(saved))) {
        await exchange(volumes.pathOf(id), copyOf(machineId, `${id}.qcow2`), saved)
        kept.push(id)
      }
    }
    const savedMemory = await exchangeMemory(machineId, { safetyId, prepared, record })
    for (const dir of [safetyDir, dirs.pathOf(machineId), volumes.dir]) await flush(dir)

    const { image, memory: next } = prepared.snapshot
    await images.mend(root, image)
    await images.mend(snapshots.diskOf(safetyId, ROOT), record.image)
    await dirs.writeRecord(machineId, {
      ...record,
      image,
      restored: { memory: next?.fit ?? null, sha256: next?.sha256 },
    })
    const manifest = await snapshots.seal(safetyId, {
      imageId: record.spec.imageId,
      image: record.image,
      volumeIds: kept,
      // Disks without the memory that belongs to them are as after a power cut.
      consistency: savedMemory ? 'memory' : record.restored?.memory ? 'crash' : 'clean',
      memory: savedMemory && {
        ...savedMemory,
        sha256: record.restored?.suspended?.sha256 ?? record.restored?.sha256,
      },
    })
    await rm(dirOf(machineId), { recursive: true, force: true })
    await rm(swapOf(machineId), { force: true })
    return manifest
  }

  /** Completes a swap that a crash interrupted; returns whether there was one. */
  async function completeSwap(machineId: string): Promise<boolean> {
    const swap = await readSwap(machineId)
    if (swap) await carryOut(machineId, swap)
    return swap !== null
  }

  /** What was made larger since the snapshot stays so. Changes the copies only, so that it can be done again. */
  async function keepSizes(machineId: string, { volumeIds }: Prepared): Promise<void> {
    const current = [
      { name: ROOT, path: dirs.fileOf(machineId, fileNames.root) },
      ...volumeIds.map((id) => ({ name: id, path: volumes.pathOf(id) })),
    ]
    for (const { name, path } of current) {
      const copy = copyOf(machineId, `${name}.qcow2`)
      const [has, had] = [await lookAtDisk(path), await lookAtDisk(copy)]
      if (has.is === 'disk' && had.is === 'disk' && has.virtualBytes > had.virtualBytes)
        await growFile(copy, has.virtualBytes)
    }
  }

  /** What was prepared, as far as the machine still has it: a volume that left it is somebody else's, or nobody's. */
  function stillHad(prepared: Prepared, { volumes: had }: MachineRecord): Prepared {
    const ids = new Set(had.map(({ id }) => id))
    return { ...prepared, volumeIds: prepared.volumeIds.filter((id) => ids.has(id)) }
  }

  const outcome = async (
    machineId: string,
    { storedBytes, consistency, volumeIds }: MachineManifest,
  ): Promise<MachineSnapshotMade> => ({
    storedBytes,
    consistency,
    volumeIds,
    memory: (await dirs.readRecord(machineId))?.restored?.memory != null,
  })

  return {
    /** Completes a swap that a crash interrupted, and clears a half-made preparation. Once all living guests are held. */
    async open(machineId: string): Promise<void> {
      if (await completeSwap(machineId)) return
      if (!(await readPrepared(machineId))) await rm(dirOf(machineId), { recursive: true, force: true })
    },
    complete: completeSwap,

    async prepare(
      machineId: string,
      source: { snapshotId: string; volumeIds: string[] },
      work: Work,
    ): Promise<void> {
      await completeSwap(machineId)
      if ((await readPrepared(machineId))?.snapshotId === source.snapshotId) return
      const snapshot = await snapshots.read(source.snapshotId)
      if (!snapshot) throw new EngineError('snapshot-missing', 'The snapshot does not exist on the host.')
      await rm(dirOf(machineId), { recursive: true, force: true })
      const names = [ROOT]
      for (const id of snapshot.volumeIds) {
        if (source.volumeIds.includes(id) && (await volumes.isThere(id))) names.push(id)
      }
      const files = names.map((name) => ({
        from: snapshots.diskOf(source.snapshotId, name),
        to: `${name}.qcow2`,
      }))
      if (snapshot.memory) files.push({ from: snapshots.memoryOf(source.snapshotId), to: fileNames.memory })
      const sizes = await Promise.all(files.map(({ from }) => allocatedBytes(from)))
      const total = sizes.reduce((sum, size) => sum + size, 0)
      await requireRoom(dirs.pathOf(machineId), total)
      await mkdir(dirOf(machineId), { recursive: true, mode: 0o700 })
      try {
        const [command, ...before] = endsWithUs
        let done = 0
        for (const [index, { from, to }] of files.entries()) {
          const path = copyOf(machineId, to)
          await run(command, [...before, 'cp', '--reflink=auto', from, path], { signal: work.signal })
          done += sizes[index] ?? 0
          work.onProgress(total > 0 ? done / total : null)
          work.signal.throwIfAborted()
        }
        await together(
          files.map(({ to }) => (to === fileNames.memory ? flush : prove)(copyOf(machineId, to))),
        )
        const prepared: Prepared = {
          snapshotId: source.snapshotId,
          snapshot,
          volumeIds: names.filter((name) => name !== ROOT),
        }
        await writeDurably(copyOf(machineId, PREPARED), keptOf(prepared))
      } catch (error) {
        await rm(dirOf(machineId), { recursive: true, force: true })
        throw error
      }
    },

    /** Of a machine without a living guest. `memory` says whether its next start goes on from a saved memory. */
    async swap(machineId: string, safetyId: string): Promise<MachineSnapshotMade> {
      const begun = await readSwap(machineId)
      const copies = await readPrepared(machineId)
      const record = await dirs.readRecord(machineId)
      if (!record) throw new EngineError('machine-missing', 'The VM does not exist on the host.')
      if (begun) return outcome(machineId, await carryOut(machineId, begun))
      if (copies) {
        const prepared = stillHad(copies, record)
        for (const id of prepared.volumeIds) requireFree(id, machineId)
        await keepSizes(machineId, prepared)
        const swap: Swap = { safetyId, prepared, record }
        await writeDurably(swapOf(machineId), {
          safetyId,
          prepared: keptOf(prepared),
          record: { ...record, image: images.kept(record.image) },
        })
        return outcome(machineId, await carryOut(machineId, swap))
      }
      const there = await snapshots.read(safetyId)
      if (!there) throw new EngineError('snapshot-missing', 'Nothing was prepared to be restored.')
      return outcome(machineId, there)
    },

    async drop(machineId: string): Promise<'dropped' | 'begun'> {
      if (await readSwap(machineId)) return 'begun'
      await rm(copyOf(machineId, PREPARED), { force: true })
      await rm(dirOf(machineId), { recursive: true, force: true })
      return 'dropped'
    },

    /** The snapshot that a begun swap is filling. */
    filling: async (machineId: string) => (await readSwap(machineId))?.safetyId ?? null,
    /** Volumes that the begun swap puts copies in place of, or the prepared restore may. */
    volumeIds: async (machineId: string) =>
      ((await readSwap(machineId))?.prepared ?? (await readPrepared(machineId)))?.volumeIds ?? [],
  }
}

/** The turn of copies that a restore prepares beside a machine's disks. */
export const restoreOf = (machineId: string): string => `restore ${machineId}`

export const madeOf = ({
  storedBytes,
  consistency,
  memory,
  volumeIds,
}: MachineManifest): MachineSnapshotMade => ({
  storedBytes,
  consistency,
  memory: memory !== null,
  volumeIds,
})

export type Restore = ReturnType<typeof makeRestore>
