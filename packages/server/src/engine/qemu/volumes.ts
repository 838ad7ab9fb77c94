import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { ImageStore } from '../../image/image-store.ts'
import { ImportError, type Importer } from '../../image/import.ts'
import { run } from '../../lib/command.ts'
import { flush } from '../../lib/flush.ts'
import { EngineError, type VolumeMade, type VolumeSource, type VolumeState, type Work } from '../engine.ts'
import { exists, ifThere } from './durable.ts'
import { importFailure } from './failure.ts'
import { type MachineSnapshots, ROOT } from './machine-snapshots.ts'
import { makePlaces, type Places } from './places.ts'
import { createBlank, flatten, lookAtDisk, prove } from './qcow2.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import type { VolumeSnapshots } from './volume-snapshots.ts'

const SUFFIX = '.qcow2'

/** Data volumes, `<dataDir>/volumes/<id>.qcow2`: files that build upon no other and grow as they are written. */
export function makeVolumes(deps: {
  dataDir: string
  images: ImageStore
  importer: Importer
  snapshots: MachineSnapshots
  volumeSnapshots: VolumeSnapshots
  places?: Places
}) {
  const { images, snapshots, volumeSnapshots, places = makePlaces(deps.dataDir) } = deps
  const dir = join(deps.dataDir, 'volumes')
  const pathOf = (volumeId: string) => join(dir, `${volumeId}${SUFFIX}`)

  /** Whether a volume is there, readable or not; certainly not there when it is false. */
  async function isThere(volumeId: string): Promise<boolean> {
    if (await exists(pathOf(volumeId))) return true
    await places.require('volumes')
    return false
  }

  async function namesIn(): Promise<string[]> {
    await places.require('volumes')
    return (await ifThere(dir, readdir(dir))) ?? []
  }

  /** The disk a snapshot stands for. It may build upon others, all of which are there. */
  async function diskOf(source: Extract<VolumeSource, { snapshotId: string }>) {
    const { snapshotId } = source
    if (source.from === 'volume-snapshot') {
      if (!(await volumeSnapshots.read(snapshotId))) throw snapshotMissing()
      return volumeSnapshots.pathOf(snapshotId)
    }
    const manifest = await snapshots.read(snapshotId)
    if (!manifest) throw snapshotMissing()
    const { volumeId } = source
    if (volumeId !== undefined) {
      if (!manifest.volumeIds.includes(volumeId)) throw snapshotMissing()
      return snapshots.diskOf(snapshotId, volumeId)
    }
    await images.verify(manifest.imageId, manifest.image)
    return snapshots.diskOf(snapshotId, ROOT)
  }

  async function fill(fresh: string, source: VolumeSource, sizeBytes: number, work: Work) {
    if (source.from === 'nothing') {
      await createBlank(fresh, sizeBytes)
      return null
    }
    if (source.from === 'url' || source.from === 'registry' || source.from === 'file') {
      const { sha256 } = await deps.importer.import(source, fresh, work)
      return sha256
    }
    const from = await diskOf(source)
    await requireRoom(dir, await chainBytes(from))
    await flatten(from, fresh, work)
    return null
  }

  return {
    dir,
    pathOf,
    isThere,
    /** Clears what was not completely made. */
    async open(): Promise<void> {
      for (const name of await namesIn()) {
        if (name.endsWith('.new')) await rm(join(dir, name), { force: true })
      }
    },

    async create(volumeId: string, source: VolumeSource, sizeBytes: number, work: Work): Promise<VolumeMade> {
      const path = pathOf(volumeId)
      await places.require('volumes')
      const there = await lookAtDisk(path)
      if (there.is === 'disk') return { sizeBytes: there.virtualBytes, sha256: null }
      // It was whole once: what is left of it is not written over.
      if (there.is === 'damaged') throw new EngineError('internal', damaged)
      await requireRoom(dir)
      const fresh = `${path}.new`
      await rm(fresh, { force: true })
      try {
        const sha256 = await fill(fresh, source, sizeBytes, work)
        work.signal.throwIfAborted()
        const filled = await lookAtDisk(fresh)
        const virtualBytes = filled.is === 'disk' ? filled.virtualBytes : 0
        if (virtualBytes < sizeBytes)
          await run('qemu-img', ['resize', '-q', '-f', 'qcow2', fresh, `${sizeBytes}`])
        await prove(fresh)
        await rename(fresh, path)
        await flush(dir)
        return { sizeBytes: Math.max(virtualBytes, sizeBytes), sha256 }
      } catch (error) {
        await rm(fresh, { force: true })
        throw error instanceof ImportError ? importFailure(error) : error
      }
    },

    async remove(volumeId: string): Promise<void> {
      await places.require('volumes')
      await rm(`${pathOf(volumeId)}.new`, { force: true })
      await rm(pathOf(volumeId), { force: true })
    },

    async inspect(volumeId: string): Promise<VolumeState> {
      const disk = await lookAtDisk(pathOf(volumeId))
      if (disk.is === 'absent') {
        await places.require('volumes')
        return { state: 'absent' }
      }
      return disk.is === 'disk' && disk.backing === null
        ? { state: 'whole', sizeBytes: disk.virtualBytes }
        : { state: 'broken', reason: damaged }
    },

    /** Throws `volume-missing`. */
    async requireThere(volumeId: string): Promise<void> {
      if (await isThere(volumeId)) return
      throw new EngineError('volume-missing', 'A disk of the VM does not exist on the host.')
    },

    async list(): Promise<string[]> {
      const names = await namesIn()
      return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
    },
  }
}

export type Volumes = ReturnType<typeof makeVolumes>

/** What a disk and all it builds upon take on the host: as much as a flat copy of it can take. */
export async function chainBytes(path: string): Promise<number> {
  const disk = await lookAtDisk(path)
  const backing = disk.is === 'disk' ? disk.backing : null
  const below = backing === null ? 0 : await chainBytes(resolve(dirname(path), backing))
  return below + (await allocatedBytes(path))
}

const damaged = 'Its file on the host is damaged.'

const snapshotMissing = () => new EngineError('snapshot-missing', 'The snapshot does not exist on the host.')
