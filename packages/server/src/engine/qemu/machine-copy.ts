import { link, stat } from 'node:fs/promises'
import type { ImageStore } from '../../image/image-store.ts'
import { copyGrowing } from '../../lib/whole-copy.ts'
import { EngineError, type MachineCopySource, type Work } from '../engine.ts'
import { fileNames, type MachineDirs, placeInOrder } from './machine-dir.ts'
import { type MachineSnapshots, ROOT } from './machine-snapshots.ts'
import { prove } from './qcow2.ts'
import type { KeptSpec, MachineRecord, MemoryFit } from './records.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import { isOurs } from './warm/fit.ts'

/** Fills the directories of machines that are copies of a snapshot. */
export function makeMachineCopy(deps: {
  dirs: MachineDirs
  images: ImageStore
  snapshots: MachineSnapshots
}) {
  const { dirs, images, snapshots } = deps

  /**
   * All copies have the memory of a snapshot as one file, which is only ever read: its last name goes when the last of them
   * has started.
   */
  async function placeMemory(machineId: string, snapshotId: string, signal: AbortSignal): Promise<void> {
    const [from, to] = [snapshots.memoryOf(snapshotId), dirs.fileOf(machineId, fileNames.memory)]
    try {
      await link(from, to)
    } catch {
      // Snapshots may lie on another file system.
      await requireRoom(dirs.pathOf(machineId), (await stat(from)).size)
      await copyGrowing(from, to, signal)
    }
  }

  return {
    /** Makes its root disk and places its memory; what it knows of the copy then belongs into its record. */
    async fill(
      spec: KeptSpec,
      { snapshotId, volumes }: MachineCopySource,
      { signal, onProgress }: Work,
    ): Promise<Omit<MachineRecord, 'spec' | 'address'>> {
      const manifest = await snapshots.read(snapshotId)
      if (!manifest) throw new EngineError('snapshot-missing', 'The snapshot does not exist on the host.')
      const { image, imageId } = manifest
      await images.verify(imageId, image)
      const from = snapshots.diskOf(snapshotId, ROOT)
      await dirs.create(spec.id)
      await requireRoom(dirs.pathOf(spec.id), await allocatedBytes(from))
      onProgress(null)
      const root = dirs.fileOf(spec.id, fileNames.root)
      await copyGrowing(from, root, signal)
      await dirs.images.mend(root, image)
      await prove(root)
      // Nothing in a foreign image makes a guest that goes on somebody else; at a boot its seed does.
      const memory = manifest.memory && isOurs(image) ? fitOfCopy(manifest.memory.fit, volumes) : null
      if (memory) await placeMemory(spec.id, snapshotId, signal)
      signal.throwIfAborted()
      return {
        image,
        volumes: memory?.volumes ?? placeInOrder(spec.volumeIds),
        restored: { memory, sha256: manifest.memory?.sha256, copied: true },
      }
    },
  }
}

export type MachineCopy = ReturnType<typeof makeMachineCopy>

/** The same places with the copy's own volumes; null where one of them has none. */
function fitOfCopy(
  // Its own address is part of its identity.
  { address: _, ...fit }: MemoryFit,
  own: MachineCopySource['volumes'],
): MemoryFit | null {
  const volumes = fit.volumes.flatMap(({ id, port }) => {
    const copy = own[id]
    return copy === undefined ? [] : [{ id: copy, port }]
  })
  return volumes.length === fit.volumes.length ? { ...fit, volumes } : null
}
