import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { type DiskFile, type Engine, EngineError } from '../engine.ts'
import { asEngineError } from './failure.ts'
import type { Guests } from './guests.ts'
import { requireId } from './machine-dir.ts'
import { flatten, lookAtDisk } from './qcow2.ts'
import { requireRoom } from './room.ts'
import type { Turns } from './turns.ts'
import type { VolumeSnapshots } from './volume-snapshots.ts'
import { chainBytes, type Volumes } from './volumes.ts'

const READ_BYTES = 256 * 1024

/** Hands out volumes and their snapshots as files that depend on no other. */
export function makeDiskFiles(deps: {
  volumes: Volumes
  volumeSnapshots: VolumeSnapshots
  guests: Guests
  inDiskTurn: Turns
}): Pick<Engine, 'openDiskFile'> {
  const { volumes, volumeSnapshots, guests, inDiskTurn } = deps

  async function openVolume(id: string): Promise<DiskFile> {
    requireId(id)
    return inDiskTurn(id, async () => {
      guests.requireFree(id)
      const path = volumes.pathOf(id)
      const disk = await lookAtDisk(path)
      if (disk.is === 'absent') {
        await volumes.isThere(id)
        throw new EngineError('volume-missing', 'The disk does not exist on the host.')
      }
      if (disk.is !== 'disk' || disk.backing !== null)
        throw new EngineError('internal', 'The disk is damaged on the host.')
      return readable(await open(path), true)
    })
  }

  async function openSnapshot(id: string, work: Parameters<Engine['openDiskFile']>[1]): Promise<DiskFile> {
    requireId(id)
    return inDiskTurn(await volumeSnapshots.chainOf(id), async () => {
      if (!(await volumeSnapshots.read(id)))
        throw new EngineError('snapshot-missing', 'The snapshot does not exist on the host.')
      const path = volumeSnapshots.pathOf(id)
      const disk = await lookAtDisk(path)
      if (disk.is === 'disk' && disk.backing === null) return readable(await open(path), true)
      await requireRoom(volumeSnapshots.dir, await chainBytes(path))
      // By this name it is cleared at the next start, should the process be killed meanwhile.
      const flat = `${path}.${randomUUID()}.new`
      try {
        await flatten(path, flat, work)
        work.signal.throwIfAborted()
        return readable(await open(flat), false)
      } finally {
        // Whoever has it open reads on; nothing is left for anybody to remove.
        await rm(flat, { force: true })
      }
    })
  }

  return {
    async openDiskFile(of, work) {
      try {
        return 'volumeId' in of ? await openVolume(of.volumeId) : await openSnapshot(of.snapshotId, work)
      } catch (error) {
        if (work.signal.aborted)
          throw new EngineError('aborted', 'The download was stopped.', { cause: error, retryable: true })
        throw asEngineError(error, 'The file could not be prepared')
      }
    },
  }
}

async function readable(file: FileHandle, staysThere: boolean): Promise<DiskFile> {
  const before = await file.stat({ bigint: true })
  const tagOf = ({ ino, size, mtimeNs }: typeof before) =>
    [ino, size, mtimeNs].map((n) => n.toString(36)).join('-')
  const tag = tagOf(before)
  return {
    bytes: Number(before.size),
    tag: staysThere ? tag : null,
    async *read(from, to) {
      for (let at = from; at < to; ) {
        const { buffer, bytesRead } = await file.read(
          Buffer.allocUnsafe(Math.min(READ_BYTES, to - at)),
          0,
          Math.min(READ_BYTES, to - at),
          at,
        )
        if (bytesRead === 0) throw changed()
        at += bytesRead
        // The last bytes are kept back until it is certain that all of them belong together.
        if (at >= to && tagOf(await file.stat({ bigint: true })) !== tag) throw changed()
        yield buffer.subarray(0, bytesRead)
      }
    },
    close: () => file.close(),
  }
}

const changed = () =>
  new EngineError('internal', 'The disk was changed while it was read.', { retryable: true })
