import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BootImage } from '../../image/image-store.ts'
import { flush } from '../../lib/flush.ts'
import { sha256Of } from '../../lib/whole-copy.ts'
import { EngineError, type SnapshotMade, type SnapshotState, type Work } from '../engine.ts'
import type { BlockHost } from './block-host.ts'
import { addNode, type Begin, copyDisks, type DiskCopy, proveCopies } from './block-jobs.ts'
import { exists, ifThere, presentAmong, readJson, writeDurably } from './durable.ts'
import { makeImagePaths } from './image-paths.ts'
import { isMachineId } from './machine-dir.ts'
import { makePlaces, type Places } from './places.ts'
import { brokenState, isSound, lookAtDisk } from './qcow2.ts'
import { isMachineManifest } from './record-shapes.ts'
import type { MachineManifest, MemoryFit } from './records.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import { fewAtATime } from './turns.ts'

/** A disk of the machine: where its file is, and the node under which its process has it, if one has. */
export interface SourceDisk {
  /** `root`, or the id of a volume. */
  name: string
  path: string
  node: string
}

/** What `take` makes a snapshot of. */
export interface SnapshotSource {
  imageId: string
  image: BootImage
  disks: readonly SourceDisk[]
  /** What it takes to save its memory, or null. */
  memory: {
    fit: MemoryFit
    mostBytes: number
    save: (file: string, begin: Begin) => Promise<() => Promise<void>>
  } | null
  /** Chooses the moment for disks alone. */
  moment: (begin: Begin) => Promise<SnapshotMade['consistency']>
  /** Runs the copy in the process that has the disks; those at rest have to be opened there first. */
  within: <T>(copy: (host: BlockHost) => Promise<T>) => Promise<T>
}

const MANIFEST = 'manifest.json'
const MEMORY = 'memory'
/** In a directory that a restore fills with the disks it replaces, from before the first until it is a snapshot. */
const FILLED = 'filled-by-restore'
export const ROOT = 'root'

/**
 * Snapshots of machines, `<dataDir>/snapshots/<id>/`: a root disk that stands on the machine's boot image, volumes
 * that stand on nothing, and the memory of the guest if it was asked for. What cannot be read now throws an
 * UnreadableError.
 */
export function makeMachineSnapshots(dataDir: string, places: Places = makePlaces(dataDir)) {
  const top = join(dataDir, 'snapshots')
  const dirOf = (id: string) => join(top, id)
  const diskOf = (id: string, name: string) => join(dirOf(id), `${name}.qcow2`)
  const memoryOf = (id: string) => join(dirOf(id), MEMORY)
  const images = makeImagePaths(dataDir)
  async function read(id: string): Promise<MachineManifest | null> {
    const manifest = await readJson(join(dirOf(id), MANIFEST), isMachineManifest)
    if (manifest) return { ...manifest, image: await images.found(manifest.image) }
    await places.require('snapshots')
    return null
  }
  async function ids(): Promise<string[]> {
    await places.require('snapshots')
    return ((await ifThere(top, readdir(top))) ?? []).filter(isMachineId)
  }

  /** Makes a directory of complete files a snapshot. */
  async function seal(id: string, manifest: Omit<MachineManifest, 'storedBytes'>): Promise<MachineManifest> {
    const names = await readdir(dirOf(id))
    const sizes = await Promise.all(names.map((name) => allocatedBytes(join(dirOf(id), name))))
    const whole = { ...manifest, storedBytes: sizes.reduce((sum, size) => sum + size, 0) }
    await writeDurably(join(dirOf(id), MANIFEST), { ...whole, image: images.kept(whole.image) })
    await flush(top)
    await rm(join(dirOf(id), FILLED), { force: true })
    return whole
  }

  /** Clears what has no manifest. Copies that are not complete are worth nothing; disks that were replaced are. */
  async function clear(id: string): Promise<string | null> {
    if (await exists(join(dirOf(id), FILLED))) return places.moveAside('snapshots', id)
    await rm(dirOf(id), { recursive: true, force: true })
    return null
  }

  async function inspect(id: string): Promise<SnapshotState> {
    const manifest = await read(id)
    if (!manifest) return { state: 'absent' }
    for (const name of [ROOT, ...manifest.volumeIds]) {
      const broken = brokenState(whatIs(name), await lookAtDisk(diskOf(id, name)))
      if (broken) return broken
    }
    const memory = await ifThere(memoryOf(id), stat(memoryOf(id)))
    if (manifest.memory && memory?.size !== manifest.memory.bytes)
      return { state: 'broken', reason: 'Its memory is damaged.' }
    return { state: 'whole' }
  }

  return {
    diskOf,
    memoryOf,
    dirOf,
    read,
    seal,

    /** Makes the directory that a restore fills with what it replaces. */
    async makeFilled(id: string): Promise<void> {
      await places.require('snapshots')
      await mkdir(dirOf(id), { recursive: true, mode: 0o700 })
      await writeDurably(join(dirOf(id), FILLED), {})
    },

    /**
     * Clears what was not completely made, except for those that a restore is about to fill, and lets root disks find
     * their images again after the data directory was moved.
     *
     * @param tell is called with what cannot be read and stays as it is, and with what was moved aside
     */
    async open(
      filling: ReadonlySet<string>,
      tell: (id: string, what: { err: unknown } | { movedTo: string }) => void,
    ): Promise<void> {
      await fewAtATime(await ids(), async (id) => {
        try {
          const manifest = await read(id)
          if (manifest) await images.mend(diskOf(id, ROOT), manifest.image)
          const movedTo = manifest || filling.has(id) ? null : await clear(id)
          if (movedTo) tell(id, { movedTo })
        } catch (err) {
          tell(id, { err })
        }
      })
    },

    async take(id: string, source: SnapshotSource, work: Work): Promise<MachineManifest> {
      const made = await read(id)
      if (made) return made
      const sizes = await Promise.all(source.disks.map(({ path }) => allocatedBytes(path)))
      const needed = sizes.reduce((sum, size) => sum + size, source.memory?.mostBytes ?? 0)
      await requireRoom(top, needed)
      await clear(id)
      await mkdir(dirOf(id), { recursive: true, mode: 0o700 })
      try {
        const disks = await Promise.all(source.disks.map((disk) => copyOf(id, disk, source.image)))
        let memoryIsSafe = async () => {}
        const consistency = await source.within((host) =>
          copyDisks(host, disks, work, {
            async moment(begin) {
              if (!source.memory) return source.moment(begin)
              memoryIsSafe = await source.memory.save(memoryOf(id), begin)
              return 'memory' as const
            },
          }),
        )
        await memoryIsSafe()
        await proveCopies(disks)
        work.signal.throwIfAborted()
        return await seal(id, {
          imageId: source.imageId,
          image: source.image,
          volumeIds: source.disks.map(({ name }) => name).filter((name) => name !== ROOT),
          consistency,
          memory: source.memory && (await memoryIn(id, source.memory.fit, work.signal)),
        })
      } catch (error) {
        await rm(dirOf(id), { recursive: true, force: true })
        throw error
      }
    },

    /** By its manifest, the headers of its disks and the size of its memory. */
    inspect,

    /** With how its disks are laid out. */
    async check(id: string, signal: AbortSignal): Promise<SnapshotState> {
      const seen = await inspect(id)
      const manifest = seen.state === 'whole' ? await read(id) : null
      for (const name of manifest ? [ROOT, ...manifest.volumeIds] : [])
        if (!(await isSound(diskOf(id, name), signal)))
          return { state: 'broken', reason: `${whatIs(name)} is damaged.` }
      return seen
    },

    /** Complete ones, and those that cannot be read now. */
    list: async (): Promise<string[]> => presentAmong(await ids(), read),

    /** The manifest goes first: what a crash leaves counts as half-made. */
    async remove(id: string): Promise<void> {
      await places.require('snapshots')
      await rm(join(dirOf(id), MANIFEST), { force: true })
      await rm(dirOf(id), { recursive: true, force: true })
    },
  }

  async function memoryIn(id: string, fit: MemoryFit, signal: AbortSignal) {
    const [sha256] = await sha256Of([memoryOf(id)], signal)
    return { fit, bytes: (await stat(memoryOf(id))).size, sha256 }
  }

  async function copyOf(id: string, { name, path, node }: SourceDisk, image: BootImage): Promise<DiskCopy> {
    const disk = await lookAtDisk(path)
    if (disk.is !== 'disk') throw new EngineError('internal', 'A disk of the VM is missing or damaged.')
    return {
      node,
      virtualBytes: disk.virtualBytes,
      target: diskOf(id, name),
      backing: name === ROOT ? await images.nameFrom(dirOf(id), image.disk) : null,
      what: name === ROOT ? 'top' : 'full',
    }
  }
}

const whatIs = (name: string): string => (name === ROOT ? 'Its root disk' : 'One of its data disks')

export type MachineSnapshots = ReturnType<typeof makeMachineSnapshots>

/** Opens disks at rest for a copy; nothing is changed about them. */
export async function openAtRest(host: BlockHost, disks: readonly SourceDisk[]): Promise<void> {
  for (const { node, path } of disks) await addNode(host.qmp, { node, filename: path, readOnly: true })
}
