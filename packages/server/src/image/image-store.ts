import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { livingProcess, thisProcess } from '../lib/process-identity.ts'
import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import { makeImageFiles } from './image-files.ts'
import { filesOf, isAddress, type Manifest, makeManifests } from './image-manifests.ts'
import { makeRoom } from './image-room.ts'
import { ImportError } from './import-error.ts'
import { type Recipe, recipeVersion } from './recipe.ts'

/** Paths of the files a machine boots from; they are read-only and never change under their name. */
export interface BootImage {
  /** A qcow2 file to put overlays on. */
  disk: string
  /** The disk that `disk` stands on. */
  lower?: string
  /** For a fast start without a boot loader. */
  kernel?: string
  initrd?: string
  cmdline?: string
  /** Root disks made of it are at least this large. */
  rootBytes?: number
}

export type ImageStoreState =
  | { state: 'ready' }
  | { state: 'coming'; progress: number | null; what: string }
  | { state: 'unavailable'; reason: string }

/** The image could not be made; `message` is a sentence for a person. */
export class ImageError extends Error {
  readonly noSpace: boolean
  constructor(message: string, options: { cause?: unknown; noSpace?: boolean } = {}) {
    super(message, { cause: options.cause })
    this.name = 'ImageError'
    this.noSpace = options.noSpace ?? false
  }
}

export interface Prover {
  /** Boots an image and runs the checks of its recipe inside; throws an ImageError when one fails. */
  prove(image: BootImage, recipe: Recipe, work: Omit<BuildWork, 'onProgress'>): Promise<void>
  /** Ends the guests that a killed process left in its work directory. */
  sweep(workDir: string): Promise<void>
}

export interface ImageStore {
  /** How it is with an image, at a glance; starts nothing. */
  look(imageId: string): Promise<ImageStoreState | { state: 'absent' }>
  /**
   * Starts making the image ready and tells how far that is. A failure is told for a minute, then the next call
   * tries again; with `again` it tries at once.
   */
  ensure(imageId: string, again?: boolean): Promise<ImageStoreState>
  /** Makes the image ready, however many ask for it; resolves with its files, each checked against its checksum. */
  use(imageId: string): Promise<BootImage>
  /** Checks files of an image that a machine was made from, and makes them again when they are damaged. */
  verify(imageId: string, image: BootImage): Promise<void>
  /** Clears what killed processes left, and files that nothing needs any more. */
  open(): Promise<void>
  /** Gives up what is under way. */
  close(): Promise<void>
}

export const STARTER_IMAGE = 'starter'

const FAILURE_TOLD_MS = 60_000
/** Whoever asks is spared a second round when what there is to check takes no longer than this. */
const PATIENCE_MS = 300
interface Making {
  result: Promise<BootImage>
  what: string
  progress: number | null
}

export interface ImageStoreOptions {
  dir: string
  log: Log
  recipes: readonly Recipe[]
  /** Makes an image after its recipe; `lower` is there exactly when the recipe extends another. */
  build: (recipe: Recipe, lower: LowerImage | null, work: BuildWork) => Promise<BuiltImage>
  /** Absent: images are ready without having been booted. */
  prover?: Prover
  /** Files that machines and snapshots stand on. */
  inUse: () => Promise<ReadonlySet<string>>
  /** What all files may take together before those go that nothing uses, in bytes. */
  budgetBytes: number
  /** Least size of root disks, in bytes; Starter Linux keeps its own. */
  rootBytes: number
  /** In milliseconds since the epoch. */
  now?: () => number
}

/**
 * Boot images under `<dir>`: files named by their SHA-256 in `files/`, and one manifest per image. An image is known
 * by the name of its recipe, or by the address it is fetched from.
 */
export function makeImageStore(options: ImageStoreOptions): ImageStore {
  const { log, build, prover, inUse, budgetBytes, now = Date.now } = options
  // Overlays and machine records keep the paths, so they must hold from everywhere.
  const dir = resolve(options.dir)
  const files = makeImageFiles(join(dir, 'files'))
  const manifests = makeManifests(dir)
  const recipes = new Map(options.recipes.map((recipe) => [recipe.id, recipe]))
  const versions = new Map<string, Promise<string>>()
  const making = new Map<string, Making>()
  const failures = new Map<string, { reason: string; at: number }>()
  let ending = new AbortController()
  /** Building takes all a small host has: one after the other. */
  let lastBuild: Promise<unknown> = Promise.resolve()

  const notCleared = (error: unknown) => log.warn({ error }, 'What images left behind was not cleared')

  const isKnown = (imageId: string) => recipes.has(imageId) || isAddress(imageId)
  const nameOf = (imageId: string) => recipes.get(imageId)?.name ?? new URL(imageId).host
  /** Recipes do not change while a process runs. */
  function versionOf(imageId: string): Promise<string> {
    const known = versions.get(imageId) ?? readVersion(imageId)
    versions.set(imageId, known)
    return known
  }

  async function readVersion(imageId: string): Promise<string> {
    const recipe = recipes.get(imageId)
    if (!recipe) return imageId
    const own = await recipeVersion(recipe)
    return recipe.kind === 'layer' ? `${own}-${await versionOf(recipe.extends)}` : own
  }

  async function readManifest(imageId: string): Promise<Manifest | null> {
    const manifest = await manifests.read(imageId)
    return manifest?.version === (await versionOf(imageId)) ? manifest : null
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
  async function found(imageId: string): Promise<BootImage | null> {
    const manifest = await readManifest(imageId)
    if (!manifest) return null
    for (const file of filesOf(manifest)) if (!(await files.isThere(file))) return null
    return bootImageOf(manifest)
  }

  /** The same with the content of every file checked. */
  async function checked(imageId: string): Promise<BootImage | null> {
    const image = await found(imageId)
    if (!image) return null
    for (const path of pathsOf(image)) {
      if (await files.isGood(path)) continue
      log.warn({ image: imageId }, 'A file of a boot image is damaged; the image is made again')
      return null
    }
    await manifests.touch(imageId, new Date(now()))
    return image
  }

  async function make(imageId: string, tell: (what: string, progress: number | null) => void) {
    const recipe = recipes.get(imageId) ?? foreignRecipe(imageId)
    const name = nameOf(imageId)
    const lowerManifest = recipe.kind === 'layer' ? await lowerOf(recipe.extends, tell) : null
    const turn = recipe.kind === 'foreign' ? (work: () => Promise<BootImage>) => work() : inTurn
    return turn(async () => {
      const what =
        recipe.kind === 'foreign' ? `Fetching the image from ${name}` : `Building the ${name} image`
      const startedAt = now()
      tell(what, null)
      log.info({ image: imageId }, what)
      const workDir = await openWork()
      try {
        const { signal } = ending
        const built = await build(recipe, lowerManifest && lowerFilesOf(lowerManifest), {
          ...{ workDir: join(workDir, 'build'), signal },
          onProgress: (fraction) => tell(what, fraction),
        })
        if (prover && recipe.kind !== 'foreign') {
          tell(`Checking the ${name} image in a guest`, null)
          if (lowerManifest) await layBeside(built.disk, lowerFilesOf(lowerManifest).disk)
          await prover.prove(candidateOf(built, lowerManifest), recipe, { workDir, signal })
        }
        const manifest = await takeIn(imageId, recipe, built, lowerManifest)
        log.info({ image: imageId, ms: now() - startedAt }, `The ${name} image is ready`)
        await clearRoom().catch(notCleared)
        return bootImageOf(manifest)
      } catch (error) {
        const failure = asImageError(error, name, recipe)
        if (!ending.signal.aborted) log.error({ image: imageId, err: error }, failure.message)
        throw failure
      } finally {
        await rm(workDir, { recursive: true, force: true })
      }
    })
  }

  /** A directory that tells whose it is, with an empty one to build in. */
  async function openWork(): Promise<string> {
    await mkdir(files.dir, { recursive: true })
    const workDir = await mkdtemp(join(dir, 'work-'))
    await writeFile(join(workDir, OWNER), JSON.stringify(await thisProcess()))
    await mkdir(join(workDir, 'build'))
    return workDir
  }

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastBuild.then(work, work)
    lastBuild = result.catch(() => {})
    return result
  }

  async function lowerOf(imageId: string, tell: (what: string, progress: number | null) => void) {
    const made = use(imageId)
    const follow = setInterval(() => {
      const below = making.get(imageId)
      if (below) tell(below.what, below.progress)
    }, 500)
    try {
      await made
    } finally {
      clearInterval(follow)
    }
    const manifest = await readManifest(imageId)
    if (!manifest) throw new ImageError(`The ${nameOf(imageId)} image is gone again.`)
    return manifest
  }

  function lowerFilesOf(manifest: Manifest): LowerImage {
    const { disk, tree } = manifest.files
    if (!tree) throw new ImageError(`Nothing can be built upon the image ${manifest.image}.`)
    return { disk: files.pathOf(disk.sha256), tree: files.pathOf(tree.sha256) }
  }

  const candidateOf = (built: BuiltImage, lower: Manifest | null): BootImage => ({
    ...(lower ? { ...bootImageOf(lower), lower: files.pathOf(lower.files.disk.sha256) } : {}),
    disk: built.disk,
    ...(built.kernel ? { kernel: built.kernel } : {}),
    ...(built.initrd ? { initrd: built.initrd } : {}),
    ...(built.cmdline ? { cmdline: built.cmdline } : {}),
  })

  /** Moves what was built into the store and writes the manifest last. */
  async function takeIn(imageId: string, recipe: Recipe, built: BuiltImage, lower: Manifest | null) {
    const manifest: Manifest = {
      image: imageId,
      version: await versionOf(imageId),
      sources: built.sources,
      files: {
        disk: await files.takeIn(built.disk),
        ...(built.kernel ? { kernel: await files.takeIn(built.kernel) } : {}),
        ...(built.initrd ? { initrd: await files.takeIn(built.initrd) } : {}),
        ...(built.tree ? { tree: await files.takeIn(built.tree) } : {}),
      },
      cmdline: built.cmdline ?? null,
      lower,
      rootBytes: recipe.kind === 'starter' ? null : options.rootBytes,
    }
    await manifests.write(manifest)
    return manifest
  }

  async function clearRoom(): Promise<void> {
    const stays = (imageId: string) => imageId === STARTER_IMAGE || making.has(imageId)
    const used = await inUse()
    await makeRoom({ files, manifests, used, stays, budgetBytes, now, log })
  }

  /** Clears the work of processes that are gone. */
  async function sweepWork(): Promise<void> {
    for (const name of await readdir(dir).catch(() => [])) {
      if (!name.startsWith('work-')) continue
      const workDir = join(dir, name)
      if (await livingProcess(await readFile(join(workDir, OWNER), 'utf8').catch(() => ''))) continue
      await prover?.sweep(workDir)
      await rm(workDir, { recursive: true, force: true })
    }
  }

  function use(imageId: string): Promise<BootImage> {
    if (!isKnown(imageId)) return Promise.reject(new ImageError(unknown))
    const begun = making.get(imageId)
    if (begun !== undefined) return begun.result
    const work: Making = {
      what: `Checking the files of the ${nameOf(imageId)} image`,
      progress: null,
      result: checked(imageId)
        .then((image) => {
          return image ?? make(imageId, (what, progress) => Object.assign(work, { what, progress }))
        })
        .then(
          (image) => {
            failures.delete(imageId)
            return image
          },
          (error: Error) => {
            failures.set(imageId, { reason: error.message, at: now() })
            throw error
          },
        )
        .finally(() => making.delete(imageId)),
    }
    making.set(imageId, work)
    return work.result
  }

  /** Whether nothing has to be done before the image can be used. */
  async function isAtHand(imageId: string): Promise<boolean> {
    const image = await found(imageId)
    if (!image) return false
    const known = await Promise.all(pathsOf(image).map(files.isVerified))
    return known.every(Boolean)
  }

  function failureOf(imageId: string, forMs = Number.POSITIVE_INFINITY): ImageStoreState | null {
    const failure = failures.get(imageId)
    if (!failure || now() - failure.at > forMs) return null
    return { state: 'unavailable', reason: failure.reason }
  }

  function comingOf(imageId: string): ImageStoreState | null {
    const begun = making.get(imageId)
    return begun ? { state: 'coming', progress: begun.progress, what: begun.what } : null
  }

  return {
    use,
    async look(imageId) {
      if (!isKnown(imageId)) return { state: 'unavailable', reason: unknown }
      if (await found(imageId)) return { state: 'ready' }
      return comingOf(imageId) ?? failureOf(imageId) ?? { state: 'absent' }
    },
    async ensure(imageId, again = false) {
      if (!isKnown(imageId)) return { state: 'unavailable', reason: unknown }
      const known = comingOf(imageId) ?? (again ? null : failureOf(imageId, FAILURE_TOLD_MS))
      if (known) return known
      if (await isAtHand(imageId)) return { state: 'ready' }
      // Whoever asked wants to know, not to wait. A failure is kept in `failures` and logged.
      const soon = use(imageId).then(
        () => true,
        () => true,
      )
      await Promise.race([soon, sleep(PATIENCE_MS, null, { ref: false })])
      return comingOf(imageId) ?? failureOf(imageId, FAILURE_TOLD_MS) ?? { state: 'ready' }
    },
    async verify(imageId, image) {
      const damaged = []
      for (const path of pathsOf(image)) if (!(await files.isGood(path))) damaged.push(path)
      if (damaged.length === 0) return
      // The same packages give the same bytes, so building again may heal the file.
      await use(imageId)
      for (const path of damaged) {
        if (!(await files.isGood(path))) throw new ImageError('A file of the boot image is lost.')
      }
    },
    async open() {
      ending = new AbortController()
      await mkdir(files.dir, { recursive: true })
      await sweepWork().catch(notCleared)
      await clearRoom().catch(notCleared)
    },
    async close() {
      ending.abort(new ImageError('The server is stopping.'))
      await Promise.allSettled([...making.values()].map(({ result }) => result))
    },
  }
}

const OWNER = 'owner.json'
const unknown = 'There is no such image.'

const foreignRecipe = (url: string): Recipe => ({
  ...{ kind: 'foreign', id: url, dir: '', name: new URL(url).host, revision: 1, place: 0, template: null },
  url,
})

const pathsOf = ({ disk, lower, kernel, initrd }: BootImage): string[] =>
  [disk, lower, kernel, initrd].filter((path) => path !== undefined)

/** Disks name the one they stand on by its bare name: in the store they lie side by side, but not before. */
async function layBeside(disk: string, lower: string): Promise<void> {
  const link = join(dirname(disk), basename(lower))
  await rm(link, { force: true })
  await symlink(lower, link)
}

function asImageError(error: unknown, name: string, recipe: Recipe): ImageError {
  if (error instanceof ImageError) return error
  if (error instanceof ImportError)
    return new ImageError(error.message, { cause: error, noSpace: error.noSpace })
  const failed = `The ${name} image could not be built:`
  if (errorCode(error) === 'ENOSPC') {
    return new ImageError(`${failed} the disk is full.`, { cause: error, noSpace: true })
  }
  if (errorCode(error) === 'ENOENT') {
    return new ImageError(`${failed} a program it takes is not installed. Run the doctor.`, { cause: error })
  }
  const why =
    recipe.kind === 'foreign' ? 'its disk could not be read' : 'a package could not be fetched or installed'
  return new ImageError(`${failed} ${why}.`, { cause: error })
}
