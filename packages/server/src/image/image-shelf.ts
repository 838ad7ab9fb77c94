import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { type BootImage, ImageError, pathsOf } from './boot-image.ts'
import type { ImageFiles } from './image-files.ts'
import { filesOf, type Manifest, type Manifests } from './image-manifests.ts'
import type { KnownImages } from './known-images.ts'

/**
 * What images are there. Absent is only what is surely not there: what cannot be read is told by an ImageError, as
 * whoever took it for absent would make it again, or remove what belongs to it.
 */
export function makeImageShelf(deps: {
  files: ImageFiles
  manifests: Manifests
  known: KnownImages
  now: () => number
  log: Log
}) {
  const { files, manifests, known, now, log } = deps

  /** Reads something of an image; what keeps it from being read becomes a sentence. */
  async function reading<T>(imageId: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      if (error instanceof ImageError) throw error
      const code = errorCode(error)
      throw new ImageError(
        `The ${known.nameOf(imageId)} image exists but could not be read${code ? ` (${code})` : ''}.`,
        { cause: error },
      )
    }
  }

  /** Only one of the present version counts. */
  async function currentManifest(imageId: string): Promise<Manifest | null> {
    const manifest = await manifests.read(imageId)
    return manifest?.version === (await known.versionOf(imageId)) ? manifest : null
  }

  function bootImageOf({ files: own, lower, cmdline, rootBytes }: Manifest): BootImage {
    const kernel = own.kernel ?? lower?.files.kernel
    const initrd = own.initrd ?? lower?.files.initrd
    const line = cmdline ?? lower?.cmdline
    return {
      disk: files.pathOf(own.disk.sha256),
      ...(lower ? { lower: files.pathOf(lower.files.disk.sha256) } : {}),
      ...(kernel ? { kernel: files.pathOf(kernel.sha256) } : {}),
      ...(initrd ? { initrd: files.pathOf(initrd.sha256) } : {}),
      ...(line ? { cmdline: line } : {}),
      ...(rootBytes ? { rootBytes } : {}),
    }
  }

  /** An image all of whose files are there in full length. */
  async function findWhole(imageId: string): Promise<BootImage | null> {
    const manifest = await currentManifest(imageId)
    if (!manifest) return null
    for (const file of filesOf(manifest)) if (!(await files.isThere(file))) return null
    return bootImageOf(manifest)
  }

  async function findChecked(imageId: string): Promise<BootImage | null> {
    const image = await findWhole(imageId)
    if (!image) return null
    for (const path of pathsOf(image)) {
      if (await files.isGood(path)) continue
      log.warn({ image: imageId }, 'A file of a boot image is damaged; the image is made again')
      return null
    }
    await manifests.touch(imageId, new Date(now()))
    return image
  }

  async function isVerified(imageId: string): Promise<boolean> {
    const image = await findWhole(imageId)
    if (!image) return false
    const verified = await Promise.all(pathsOf(image).map(files.isVerified))
    return verified.every(Boolean)
  }

  async function badFiles(image: BootImage): Promise<string[]> {
    const bad: string[] = []
    for (const path of pathsOf(image)) if (!(await files.isGood(path))) bad.push(path)
    return bad
  }

  return {
    bootImageOf,
    manifest: (imageId: string) => reading(imageId, () => currentManifest(imageId)),
    /** An image all of whose files are there in full length; their content is not read. */
    find: (imageId: string) => reading(imageId, () => findWhole(imageId)),
    /** The same with the content of every file checked. */
    check: (imageId: string) => reading(imageId, () => findChecked(imageId)),
    /** Whether nothing has to be done before the image can be used. */
    isAtHand: (imageId: string) => reading(imageId, () => isVerified(imageId)),
    /** Which files that a machine was made from are gone or damaged. */
    damaged: (imageId: string, image: BootImage) => reading(imageId, () => badFiles(image)),
  }
}

export type ImageShelf = ReturnType<typeof makeImageShelf>
