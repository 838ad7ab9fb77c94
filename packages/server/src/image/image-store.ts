import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { type BuiltImage, buildStarter, starterVersion } from './starter.ts'

/** Paths of the files a machine boots from; they are read-only and never change under their name. */
export interface BootImage {
  /** A qcow2 file to put overlays on. */
  disk: string
  /** For a fast start without a boot loader. */
  kernel?: string
  initrd?: string
  cmdline?: string
}

export type ImageStoreState =
  | { state: 'ready' }
  | { state: 'coming'; progress: number | null; what: string }
  | { state: 'unavailable'; reason: string }

/** What the store remembers of an image: `<dir>/<imageId>.json`. */
interface Manifest {
  image: string
  version: string
  sources: string[]
  files: Record<'disk' | 'kernel' | 'initrd', { sha256: string; sizeBytes: number }>
  cmdline: string
}

/** The image could not be made; `message` is a sentence for the operator. */
export class ImageError extends Error {
  readonly noSpace: boolean
  constructor(message: string, cause: unknown) {
    super(message, { cause })
    this.name = 'ImageError'
    this.noSpace = errorCode(cause) === 'ENOSPC'
  }
}

export interface ImageStore {
  /** Whether the image can be used now. Looks only; see `ensure`. */
  state(imageId: string): Promise<ImageStoreState>
  /** Makes the image ready, however many ask for it; resolves with its files, each checked against its checksum. */
  use(imageId: string): Promise<BootImage>
  /** Starts making the image ready and tells how far that is. */
  ensure(imageId: string): Promise<ImageStoreState>
  /** Checks files of an image that a machine was made from, and makes them again when they are damaged. */
  verify(imageId: string, image: BootImage): Promise<void>
}

export const STARTER_IMAGE = 'starter'
const BUILDING = 'Building the Starter Linux image'

/**
 * Boot images under `<dir>`: files named by their SHA-256 in `files/`, and one manifest per image. A file appears
 * complete or not at all; overlays of an older image version keep their own files.
 */
export function makeImageStore(deps: { dir: string; log: Log }): ImageStore {
  const { log } = deps
  // Overlays and machine records keep the paths, so they must hold from everywhere.
  const dir = resolve(deps.dir)
  const filesDir = join(dir, 'files')
  const builds = new Map<string, Promise<BootImage>>()
  const failures = new Map<string, string>()
  /** Files found good, with what the file system said about them then. */
  const verified = new Map<string, string>()

  const fileOf = (sha256: string) => join(filesDir, sha256)

  async function readManifest(imageId: string): Promise<Manifest | null> {
    try {
      const manifest: Manifest = JSON.parse(await readFile(join(dir, `${imageId}.json`), 'utf8'))
      return manifest.version === (await starterVersion()) ? manifest : null
    } catch {
      return null
    }
  }

  /** Whether a file is there and has the content its name promises; reads it only when it was touched. */
  async function isGood(path: string): Promise<boolean> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
      const look = [ino, size, mtimeNs, ctimeNs].join()
      if (verified.get(path) === look) return true
      if ((await sha256Of(path)) !== path.slice(-64)) return false
      verified.set(path, look)
      return true
    } catch {
      return false
    }
  }

  async function ready(imageId: string): Promise<BootImage | null> {
    const manifest = await readManifest(imageId)
    if (!manifest) return null
    const image = bootImageOf(manifest)
    for (const path of pathsOf(image)) {
      if (await isGood(path)) continue
      log.warn({ image: imageId }, 'A file of a boot image is missing or damaged; the image is made again')
      return null
    }
    return image
  }

  const bootImageOf = ({ files, cmdline }: Manifest): BootImage => ({
    disk: fileOf(files.disk.sha256),
    kernel: fileOf(files.kernel.sha256),
    initrd: fileOf(files.initrd.sha256),
    cmdline,
  })

  async function build(imageId: string): Promise<BootImage> {
    const startedAt = Date.now()
    log.info({ image: imageId }, BUILDING)
    await mkdir(filesDir, { recursive: true })
    await sweepWork()
    const workDir = await mkdtemp(join(dir, 'work-'))
    try {
      const built = await buildStarter(workDir)
      const manifest = await takeIn(imageId, built)
      log.info({ image: imageId, ms: Date.now() - startedAt }, 'The Starter Linux image is ready')
      failures.delete(imageId)
      return bootImageOf(manifest)
    } catch (error) {
      const reason = reasonOf(error)
      failures.set(imageId, reason)
      log.error({ image: imageId, error }, reason)
      throw new ImageError(reason, error)
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  }

  /** Moves what was built into the store and writes the manifest last. */
  async function takeIn(imageId: string, built: BuiltImage): Promise<Manifest> {
    const take = async (path: string) => {
      const sha256 = await sha256Of(path)
      const { size } = await stat(path)
      await chmod(path, 0o444)
      await flush(path)
      await rename(path, fileOf(sha256))
      return { sha256, sizeBytes: size }
    }
    const manifest: Manifest = {
      image: imageId,
      version: await starterVersion(),
      sources: built.sources,
      files: {
        disk: await take(built.disk),
        kernel: await take(built.kernel),
        initrd: await take(built.initrd),
      },
      cmdline: built.cmdline,
    }
    const path = join(dir, `${imageId}.json`)
    await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
    await rename(`${path}.new`, path)
    return manifest
  }

  /** Clears what builds left that did not come to their end. */
  async function sweepWork(): Promise<void> {
    for (const name of await readdir(dir)) {
      if (!name.startsWith('work-')) continue
      const { mtimeMs } = await stat(join(dir, name)).catch(() => ({ mtimeMs: Date.now() }))
      // A younger one may be another process at work, such as a build started by hand.
      if (Date.now() - mtimeMs > 3_600_000) await rm(join(dir, name), { recursive: true, force: true })
    }
  }

  async function use(imageId: string): Promise<BootImage> {
    if (imageId !== STARTER_IMAGE) throw new ImageError(unknown, null)
    const running = builds.get(imageId)
    if (running !== undefined) return running
    const work = ready(imageId).then((image) => image ?? build(imageId))
    builds.set(imageId, work)
    try {
      return await work
    } finally {
      builds.delete(imageId)
    }
  }

  async function state(imageId: string): Promise<ImageStoreState> {
    if (imageId !== STARTER_IMAGE) return { state: 'unavailable', reason: unknown }
    if (!builds.has(imageId) && (await ready(imageId))) return { state: 'ready' }
    if (builds.has(imageId)) return { state: 'coming', progress: null, what: BUILDING }
    const reason = failures.get(imageId)
    return { state: 'unavailable', reason: reason ?? 'The Starter Linux image has not been built yet.' }
  }

  return {
    state,
    use,
    async ensure(imageId) {
      const now = await state(imageId)
      if (now.state !== 'unavailable' || imageId !== STARTER_IMAGE) return now
      const failedBefore = failures.has(imageId)
      // Not awaited: whoever asked wants to know, not to wait. A failure is kept in `failures` and logged.
      use(imageId).catch(() => {})
      return failedBefore ? now : { state: 'coming', progress: null, what: BUILDING }
    },
    async verify(imageId, image) {
      const damaged = []
      for (const path of pathsOf(image)) if (!(await isGood(path))) damaged.push(path)
      if (damaged.length === 0) return
      // The same packages give the same bytes, so building again heals the file.
      await use(imageId)
      for (const path of damaged) {
        if (!(await isGood(path))) throw new ImageError('A file of the boot image is lost.', null)
      }
    },
  }
}

const unknown = 'There is no such image.'

const pathsOf = ({ disk, kernel, initrd }: BootImage): string[] =>
  [disk, kernel, initrd].filter((path) => path !== undefined)

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}

async function flush(path: string): Promise<void> {
  const file = await open(path)
  await file.sync()
  await file.close()
}

function reasonOf(error: unknown): string {
  if (errorCode(error) === 'ENOSPC') return 'The Starter Linux image could not be built: the disk is full.'
  if (errorCode(error) === 'ENOENT') {
    return 'The Starter Linux image could not be built: a program it takes is not installed. Run the doctor.'
  }
  return 'The Starter Linux image could not be built: the packages it is made of could not be fetched or unpacked.'
}
