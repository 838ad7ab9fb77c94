import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { BootImage } from '../../image/image-store.ts'
import { EngineError, type SnapshotMade, type SnapshotState, type Work } from '../engine.ts'
import type { BlockHost } from './block-host.ts'
import { addNode, type Begin, copyDisks, type DiskCopy, proveCopies } from './block-jobs.ts'
import { exists, flush, readJson, writeDurably } from './durable.ts'
import type { MemoryFit } from './machine-dir.ts'
import { isMachineId } from './machine-dir.ts'
import { check, readHeader } from './qcow2.ts'
import { allocatedBytes, requireRoom } from './room.ts'

/** What a snapshot directory holds; written last, so its presence means that all of it is there. */
export interface MachineManifest {
  imageId: string
  /** The image its root disk stands on. */
  image: BootImage
  volumeIds: string[]
  consistency: SnapshotMade['consistency']
  memory: { fit: MemoryFit; bytes: number } | null
  storedBytes: number
}

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
export const ROOT = 'root'

/**
 * Snapshots of machines, `<dataDir>/snapshots/<id>/`: a root disk that stands on the machine's boot image, volumes
 * that stand on nothing, and the memory of the guest if it was asked for.
 */
export function makeMachineSnapshots(dataDir: string) {
  const top = join(dataDir, 'snapshots')
  const dirOf = (id: string) => join(top, id)
  const diskOf = (id: string, name: string) => join(dirOf(id), `${name}.qcow2`)
  const memoryOf = (id: string) => join(dirOf(id), MEMORY)
  // The file is our own: its shape is taken at its word.
  const read = async (id: string) => (await readJson(join(dirOf(id), MANIFEST))) as MachineManifest | null

  /** Makes a directory of complete files a snapshot. */
  async function seal(id: string, manifest: Omit<MachineManifest, 'storedBytes'>): Promise<MachineManifest> {
    const names = await readdir(dirOf(id))
    const sizes = await Promise.all(names.map((name) => allocatedBytes(join(dirOf(id), name))))
    const whole = { ...manifest, storedBytes: sizes.reduce((sum, size) => sum + size, 0) }
    await writeDurably(join(dirOf(id), MANIFEST), whole)
    await flush(top)
    return whole
  }

  return {
    diskOf,
    memoryOf,
    dirOf,
    read,
    seal,

    /** Clears what was not completely made, except for those that a restore is about to fill. */
    async open(filling: ReadonlySet<string>) {
      await mkdir(top, { recursive: true, mode: 0o700 })
      for (const name of await readdir(top)) {
        if (!filling.has(name) && !(await read(name)))
          await rm(join(top, name), { recursive: true, force: true })
      }
    },

    async take(id: string, source: SnapshotSource, work: Work): Promise<MachineManifest> {
      const made = await read(id)
      if (made) return made
      const sizes = await Promise.all(source.disks.map(({ path }) => allocatedBytes(path)))
      const needed = sizes.reduce((sum, size) => sum + size, source.memory?.mostBytes ?? 0)
      await requireRoom(top, needed)
      await rm(dirOf(id), { recursive: true, force: true })
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
          memory: source.memory && { fit: source.memory.fit, bytes: (await stat(memoryOf(id))).size },
        })
      } catch (error) {
        await rm(dirOf(id), { recursive: true, force: true })
        throw error
      }
    },

    async inspect(id: string): Promise<SnapshotState> {
      const manifest = await read(id)
      if (!manifest) return { state: 'absent' }
      const broken = (reason: string): SnapshotState => ({ state: 'broken', reason })
      for (const name of [ROOT, ...manifest.volumeIds]) {
        const what = name === ROOT ? 'Its root disk' : 'One of its data disks'
        if (!(await exists(diskOf(id, name)))) return broken(`${what} is lost.`)
        const good = await check(diskOf(id, name)).then(
          () => true,
          () => false,
        )
        if (!good) return broken(`${what} is damaged.`)
      }
      const memory = await stat(memoryOf(id)).catch(() => null)
      if (manifest.memory && memory?.size !== manifest.memory.bytes) return broken('Its memory is damaged.')
      return { state: 'whole' }
    },

    async list(): Promise<string[]> {
      const names = (await readdir(top)).filter(isMachineId)
      const manifests = await Promise.all(names.map(read))
      return names.filter((_, index) => manifests[index])
    },

    /** The manifest goes first: what a crash leaves counts as half-made. */
    async remove(id: string): Promise<void> {
      await rm(join(dirOf(id), MANIFEST), { force: true })
      await rm(dirOf(id), { recursive: true, force: true })
    },
  }

  async function copyOf(id: string, { name, path, node }: SourceDisk, image: BootImage): Promise<DiskCopy> {
    const header = await readHeader(path)
    if (!header) throw new EngineError('internal', 'A disk of the virtual machine is lost or damaged.')
    return {
      node,
      virtualBytes: header.virtualBytes,
      target: diskOf(id, name),
      backing: name === ROOT ? image.disk : null,
      what: name === ROOT ? 'top' : 'full',
    }
  }
}

export type MachineSnapshots = ReturnType<typeof makeMachineSnapshots>

/** Opens disks at rest for a copy; nothing is changed about them. */
export async function openAtRest(host: BlockHost, disks: readonly SourceDisk[]): Promise<void> {
  for (const { node, path } of disks) await addNode(host.qmp, { node, filename: path, readOnly: true })
}
