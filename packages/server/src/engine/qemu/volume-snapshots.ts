import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { flush } from '../../lib/flush.ts'
import { EngineError, type SnapshotMade, type SnapshotState, type Work } from '../engine.ts'
import type { BlockHost } from './block-host.ts'
import { type Begin, type Bitmap, copyDisks, type DiskCopy, namedNodes, proveCopies } from './block-jobs.ts'
import { exists, ifThere, presentAmong, readJson, UnreadableError, writeDurably } from './durable.ts'
import { makePlaces, type Places } from './places.ts'
import { brokenState, commit, isSound, lookAtDisk, rebase } from './qcow2.ts'
import { isVolumeManifest } from './record-shapes.ts'
import type { VolumeManifest } from './records.ts'
import { allocatedBytes, requireRoom } from './room.ts'
import { fewAtATime } from './turns.ts'

export interface VolumeSnapshotSource {
  volumeId: string
  parentId: string | null
  path: string
  /** The node under which the volume is open. */
  node: string
  moment: (begin: Begin) => Promise<SnapshotMade['consistency']>
  within: <T>(copy: (host: BlockHost) => Promise<T>) => Promise<T>
}

const SUFFIX = '.qcow2'
const BITMAP = 'snap-'

/**
 * Snapshots of data volumes, `<dataDir>/volume-snapshots/<id>.qcow2`. One that builds upon another names that file
 * without its directory. What changes on a volume after a snapshot is noted by a bitmap in the volume's own file,
 * which is called after the snapshot it counts from; so a bitmap can never be taken for that of another one.
 * What cannot be read now throws an UnreadableError.
 */
export function makeVolumeSnapshots(dataDir: string, places: Places = makePlaces(dataDir)) {
  const dir = join(dataDir, 'volume-snapshots')
  const pathOf = (id: string) => join(dir, `${id}${SUFFIX}`)
  const manifestOf = (id: string) => join(dir, `${id}.json`)
  async function readAny(id: string): Promise<VolumeManifest | null> {
    const manifest = await readJson(manifestOf(id), isVolumeManifest)
    if (manifest === null) await places.require('volume-snapshots')
    return manifest
  }
  const read = async (id: string) => {
    const manifest = await readAny(id)
    return manifest && !manifest.deleting ? manifest : null
  }
  async function parentOf(id: string): Promise<string | null> {
    const disk = await lookAtDisk(pathOf(id))
    return disk.is === 'disk' ? (disk.backing?.slice(0, -SUFFIX.length) ?? null) : null
  }

  async function namesIn(): Promise<string[]> {
    await places.require('volume-snapshots')
    return (await ifThere(dir, readdir(dir))) ?? []
  }
  async function ids(): Promise<string[]> {
    const names = await namesIn()
    return names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
  }
  async function childrenOf(id: string): Promise<string[]> {
    const all = await ids()
    const parents = await fewAtATime(all, parentOf)
    return all.filter((_, index) => parents[index] === id)
  }
  const made = async (id: string, { consistency }: VolumeManifest) => ({
    storedBytes: await allocatedBytes(pathOf(id)),
    consistency,
    parentId: await parentOf(id),
  })
  async function forget(id: string): Promise<void> {
    await places.require('volume-snapshots')
    await rm(pathOf(id), { force: true })
    await rm(manifestOf(id), { force: true })
  }

  return {
    dir,
    pathOf,
    read,
    /** The files of a snapshot and of all it builds upon. */
    async filesOf(id: string): Promise<string[]> {
      const names: string[] = []
      for (let at: string | null = id; at !== null; at = await parentOf(at)) {
        names.push(`${at}${SUFFIX}`)
        if (await exists(manifestOf(at))) names.push(`${at}.json`)
      }
      return names
    },
    /** The turn of the chain it stands in, also while it is being deleted, and when only its neighbours tell. */
    async chainOf(id: string): Promise<string> {
      const own = await unlessDamaged(readAny(id))
      if (own) return chainOn(own.volumeId)
      for (const near of [await parentOf(id), ...(await childrenOf(id))]) {
        const manifest = near === null ? null : await unlessDamaged(readAny(near))
        if (manifest) return chainOn(manifest.volumeId)
      }
      return chainOn(id)
    },

    /**
     * Clears what was not completely made, and what was deleted but for its name. What others build upon stays; and
     * as long as one cannot be read, so may every other, because nobody knows what that one builds upon.
     *
     * @param unreadable is called with what cannot be read, which stays as it is
     */
    async open(unreadable: (id: string, error: unknown) => void): Promise<void> {
      const all = await ids()
      const wanted = new Set(all)
      for (const name of await namesIn()) {
        if (name.endsWith('.new')) await rm(join(dir, name), { force: true })
        else if (name.endsWith('.json') && !wanted.has(name.slice(0, -5)))
          await rm(join(dir, name), { force: true })
      }
      let allRead = true
      const seen = await fewAtATime(all, async (id) => {
        try {
          return { id, whole: (await readAny(id)) !== null, parent: await parentOf(id) }
        } catch (error) {
          allRead = false
          unreadable(id, error)
          return { id, whole: true, parent: null }
        }
      })
      if (!allRead) return
      const parents = new Set(seen.map(({ parent }) => parent))
      for (const { id, whole } of seen) {
        if (!whole && !parents.has(id)) await rm(pathOf(id), { force: true })
      }
    },

    async take(
      id: string,
      source: VolumeSnapshotSource,
      work: Work,
    ): Promise<SnapshotMade & { parentId: string | null }> {
      const before = await read(id)
      if (before) return made(id, before)
      const volume = await lookAtDisk(source.path)
      if (volume.is !== 'disk') throw new EngineError('internal', 'The disk is damaged on the host.')
      await forget(id)
      const noteIn = `${BITMAP}${id}`
      return source.within(async (host) => {
        const bitmaps = await bitmapsOf(host, source.node)
        const noted = await usableParent(source, bitmaps)
        await requireRoom(dir, noted ? noted.bytes : await allocatedBytes(source.path))
        // What an earlier attempt left of it.
        await dropBitmaps(host, source.node, ({ name }) => name === noteIn)
        const disk: DiskCopy = {
          node: source.node,
          virtualBytes: volume.virtualBytes,
          target: pathOf(id),
          backing: noted ? `${source.parentId}${SUFFIX}` : null,
          what: noted ? { notedBy: noted.name } : 'full',
        }
        try {
          const consistency = await copyDisks(host, [disk], work, { moment: source.moment, noteIn })
          await proveCopies([disk])
          work.signal.throwIfAborted()
          const manifest = { volumeId: source.volumeId, consistency, deleting: false }
          await writeDurably(manifestOf(id), manifest)
          // The next one counts from this one.
          await dropBitmaps(host, source.node, ({ name }) => name !== noteIn).catch(() => {})
          return made(id, manifest)
        } catch (error) {
          await dropBitmaps(host, source.node, ({ name }) => name === noteIn).catch(() => {})
          await forget(id)
          throw error
        }
      })
    },

    /**
     * Deletes a snapshot. What builds upon it keeps showing the same at every moment: either its content moves down
     * into the file of the deleted one, which then takes its name, or it gets a copy of what it lacks. After a crash
     * the same call goes on.
     */
    async remove(id: string, work: Work): Promise<void> {
      // Somebody wants it gone, whatever its manifest said.
      const manifest = await unlessDamaged(readAny(id))
      if (!(await exists(pathOf(id)))) return forget(id)
      if (manifest && !manifest.deleting) await writeDurably(manifestOf(id), { ...manifest, deleting: true })
      const children = await childrenOf(id)
      const [only] = children
      if (only !== undefined && children.length === 1) {
        await requireRoom(dir, await allocatedBytes(pathOf(only)))
        await commit(pathOf(only), work)
        await flush(pathOf(id))
        await rename(pathOf(id), pathOf(only))
        await flush(dir)
      } else if (children.length > 1) {
        const parent = await parentOf(id)
        await requireRoom(dir, children.length * (await allocatedBytes(pathOf(id))))
        for (const child of children) {
          await rebase(pathOf(child), parent && `${parent}${SUFFIX}`, work)
          await flush(pathOf(child))
        }
      }
      await forget(id)
    },

    /** By its manifest and its own header. */
    async inspect(id: string): Promise<SnapshotState> {
      if (!(await read(id))) return { state: 'absent' }
      return brokenState('Its file', await lookAtDisk(pathOf(id))) ?? { state: 'whole' }
    },

    /** With every file that it builds upon. */
    async check(id: string, signal: AbortSignal): Promise<SnapshotState> {
      if (!(await read(id))) return { state: 'absent' }
      for (let at: string | null = id; at !== null; at = await parentOf(at)) {
        const what = at === id ? 'Its file' : 'A snapshot it depends on'
        if (!(await exists(pathOf(at)))) return { state: 'broken', reason: `${what} is missing.` }
        if (!(await isSound(pathOf(at), signal))) return { state: 'broken', reason: `${what} is damaged.` }
      }
      return { state: 'whole' }
    },

    /** Complete ones, and those that cannot be read now. */
    list: async (): Promise<string[]> => presentAmong(await ids(), read),
  }

  /** The bitmap that has noted every change since the parent, when there is such a one and a parent to build upon. */
  async function usableParent(
    { volumeId, parentId }: VolumeSnapshotSource,
    bitmaps: Bitmap[],
  ): Promise<Bitmap | null> {
    if (parentId === null || (await read(parentId))?.volumeId !== volumeId) return null
    return bitmaps.find(({ name, usable }) => usable && name === `${BITMAP}${parentId}`) ?? null
  }
}

export type VolumeSnapshots = ReturnType<typeof makeVolumeSnapshots>

/** The turn of a volume's snapshots, which build upon each other while one is made, read or deleted. */
export const chainOn = (volumeId: string): string => `chain ${volumeId}`

/** What was read, or null when its content is damaged for good. */
const unlessDamaged = <T>(reading: Promise<T>): Promise<T | null> =>
  reading.catch((error: unknown) => {
    if (error instanceof UnreadableError && error.damaged) return null
    throw error
  })

async function bitmapsOf(host: BlockHost, node: string): Promise<Bitmap[]> {
  return (await namedNodes(host.qmp)).find(({ name }) => name === node)?.bitmaps ?? []
}

/** Drops notes of changes that have missed some. */
export const dropUnusableBitmaps = (host: BlockHost, node: string): Promise<void> =>
  dropBitmaps(host, node, ({ usable }) => !usable)

async function dropBitmaps(host: BlockHost, node: string, which: (bitmap: Bitmap) => boolean): Promise<void> {
  for (const bitmap of await bitmapsOf(host, node)) {
    if (bitmap.name.startsWith(BITMAP) && which(bitmap)) {
      await host.qmp.execute('block-dirty-bitmap-remove', { node, name: bitmap.name })
    }
  }
}
