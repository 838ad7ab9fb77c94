import { createHash } from 'node:crypto'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../lib/log.ts'
import { nullIfAbsent, type StoredFile } from './image-files.ts'

/** What the store remembers of an image: `<dir>/<key>.json`, written last. Its time is that of the last use. */
export interface Manifest {
  image: string
  version: string
  sources: string[]
  files: { disk: StoredFile } & Partial<Record<'kernel' | 'initrd' | 'tree', StoredFile>>
  cmdline: string | null
  /** The image its disk stands on, as it was then; kernel and RAM disk are that one's. */
  lower: Manifest | null
  rootBytes: number | null
}

/** A manifest where it lies. */
export interface KeptManifest {
  path: string
  manifest: Manifest
  /** In milliseconds since the epoch. */
  usedAt: number
}

/** Whether an image is known by the address it is fetched from, in place of the name of a recipe. */
export const isAddress = (imageId: string): boolean => /^https?:\/\//i.test(imageId)

/** Every file an image needs, those of the image below included. */
export const filesOf = ({ files, lower }: Manifest): StoredFile[] => [
  ...Object.values(files),
  ...(lower ? filesOf(lower) : []),
]

/** The manifests in a folder, one file each. They are our own: their shape is taken at its word. */
export function makeManifests(dir: string, log: Pick<Log, 'warn'>) {
  const pathOf = (imageId: string) => join(dir, `${keyOf(imageId)}.json`)

  return {
    /**
     * That of an image; null when there is none. A damaged one is put aside, and counts as none from then on: images
     * can be made again. Throws when it is there and cannot be read.
     */
    async read(imageId: string): Promise<Manifest | null> {
      const path = pathOf(imageId)
      const text = await readFile(path, 'utf8').catch(nullIfAbsent)
      if (text === null) return null
      const manifest = parse(text)
      if (manifest) return manifest
      await rename(path, `${path}.damaged`)
      log.warn(
        { image: imageId, aside: `${path}.damaged` },
        'The manifest of an image is damaged; it was put aside',
      )
      return null
    },
    async write(manifest: Manifest): Promise<void> {
      const path = pathOf(manifest.image)
      await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
      await rename(`${path}.new`, path)
    },
    /** Notes that an image is used. */
    async touch(imageId: string, at: Date): Promise<void> {
      await utimes(pathOf(imageId), at, at).catch(() => {})
    },
    /** All of them. Throws when one is there and cannot be read: what belongs to it is not known then. */
    async list(): Promise<KeptManifest[]> {
      const entries = (await readdir(dir).catch(nullIfAbsent)) ?? []
      const names = entries.filter((name) => name.endsWith('.json'))
      const read = names.map(async function readOne(name): Promise<KeptManifest[]> {
        const path = join(dir, name)
        const text = await readFile(path, 'utf8').catch(nullIfAbsent)
        const seen = text === null ? null : await stat(path).catch(nullIfAbsent)
        if (text === null || seen === null) return []
        const manifest = parse(text)
        if (!manifest)
          throw new Error(`The manifest ${path} is damaged. No image is removed while it is there.`)
        return [{ path, manifest, usedAt: seen.mtimeMs }]
      })
      return (await Promise.all(read)).flat()
    },
    remove: ({ path }: KeptManifest) => rm(path, { force: true }),
  }
}

export type Manifests = ReturnType<typeof makeManifests>

/** Addresses have characters that no file name may have, and no bound. */
const keyOf = (imageId: string): string =>
  isAddress(imageId) ? `address-${createHash('sha256').update(imageId).digest('hex').slice(0, 32)}` : imageId

function parse(text: string): Manifest | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
