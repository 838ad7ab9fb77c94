import { createHash } from 'node:crypto'
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { livingProcess, thisProcess } from '../lib/process-identity.ts'
import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import { makeImageFiles, type StoredFile } from './image-files.ts'
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

/** What the store remembers of an image: `<dir>/<key>.json`, written last. Its time is that of the last use. */
interface Manifest {
  image: string
  version: string
  sources: string[]
  files: { disk: StoredFile } & Partial<Record<'kernel' | 'initrd' | 'tree', StoredFile>>
  cmdline: string | null
  /** The image its disk stands on, as it was then; kernel and RAM disk are that one's. */
  lower: Manifest | null
  rootBytes: number | null
}

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
/** Between the use of an image and the record that names its files. */
const FRESH_MS = 10 * 60_000

const isAddress = (imageId: string) => /^https?:\/\//i.test(imageId)

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
  const recipes = new Map(options.recipes.map((recipe) => [recipe.id, recipe]))
  const versions = new Map<string, Promise<string>>()
  const making = new Map<string, Making>()
  const failures = new Map<string, { reason: string; at: number }>()
  let ending = new AbortController()
  /** Building takes all a small host has: one after the other. */
  let lastBuild: Promise<unknown> = Promise.resolve()

  const isKnown = (imageId: string) => recipes.has(imageId) || isAddress(imageId)
  const nameOf = (imageId: string) => recipes.get(imageId)?.name ?? new URL(imageId).host
  const manifestOf = (imageId: string) => join(dir, `${keyOf(imageId)}.json`)

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
    try {
      const manifest: Manifest = JSON.parse(await readFile(manifestOf(imageId), 'utf8'))
      return manifest.version === (await versionOf(imageId)) ? manifest : null
    } catch {
      return null
    }
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
    const all = [...Object.values(manifest.files), ...Object.values(manifest.lower?.files ?? {})]
    for (const file of all) if (!(await files.isThere(file))) return null
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
    // The time of the manifest is that of the last use; see `makeRoom`.
    const used = new Date(now())
    await utimes(manifestOf(imageId), used, used).catch(() => {})
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
        failures.delete(imageId)
        await makeRoom().catch((error: unknown) => log.warn({ error }, 'Old images were not removed'))
        return bootImageOf(manifest)
      } catch (error) {
        const failure = asImageError(error, name, recipe)
        failures.set(imageId, { reason: failure.message, at: now() })
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
    const path = manifestOf(imageId)
    await writeFile(`${path}.new`, `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
    await rename(`${path}.new`, path)
    return manifest
  }

  async function manifests(): Promise<{ path: string; manifest: Manifest; usedAt: number }[]> {
    const names = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.json'))
    const read = names.map(async (name) => {
      const path = join(dir, name)
      try {
        const manifest: Manifest = JSON.parse(await readFile(path, 'utf8'))
        return [{ path, manifest, usedAt: (await stat(path)).mtimeMs }]
      } catch {
        return []
      }
    })
    return (await Promise.all(read)).flat()
  }

  /**
   * Removes files that neither an image nor a machine needs; then, while all together are above the budget, the
   * images that were not used for longest and that nothing stands on.
   */
  async function makeRoom(): Promise<void> {
    const used = await inUse()
    const known = await manifests()
    const isOld = (ms: number) => now() - ms > FRESH_MS
    const needed = () => new Set(known.flatMap(({ manifest }) => sha256sOf(manifest)))
    const sweep = async () => {
      const still = needed()
      for (const { sha256, path, since } of await files.list()) {
        if (!still.has(sha256) && !used.has(path) && isOld(since)) await files.remove(sha256)
      }
    }
    await sweep()
    const goesFirst = known
      .filter(({ manifest, usedAt }) => {
        const above = known.some(({ manifest: { lower } }) => lower?.image === manifest.image)
        const standing = sha256sOf(manifest).some((sha256) => used.has(files.pathOf(sha256)))
        const busy = making.has(manifest.image)
        return manifest.image !== STARTER_IMAGE && !above && !standing && !busy && isOld(usedAt)
      })
      .sort((one, other) => one.usedAt - other.usedAt)
    for (const candidate of goesFirst) {
      const total = (await files.list()).reduce((sum, { bytes }) => sum + bytes, 0)
      if (total <= budgetBytes) return
      log.info(
        { image: candidate.manifest.image },
        'A boot image was removed to make room; it can be made again',
      )
      await rm(candidate.path, { force: true })
      known.splice(known.indexOf(candidate), 1)
      await sweep()
    }
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
      await sweepWork()
      await makeRoom()
    },
    async close() {
      ending.abort(new ImageError('The server is stopping.'))
      await Promise.allSettled([...making.values()].map(({ result }) => result))
    },
  }
}

const OWNER = 'owner.json'
const unknown = 'There is no such image.'

/** The name of an image's manifest: addresses have characters that no file name may have, and no bound. */
const keyOf = (imageId: string): string =>
  isAddress(imageId) ? `address-${createHash('sha256').update(imageId).digest('hex').slice(0, 32)}` : imageId

const foreignRecipe = (url: string): Recipe => ({
  ...{ kind: 'foreign', id: url, dir: '', name: new URL(url).host, revision: 1, place: 0, template: null },
  url,
})

const pathsOf = ({ disk, lower, kernel, initrd }: BootImage): string[] =>
  [disk, lower, kernel, initrd].filter((path) => path !== undefined)

const sha256sOf = ({ files, lower }: Manifest): string[] => [
  ...Object.values(files).map(({ sha256 }) => sha256),
  ...(lower ? sha256sOf(lower) : []),
]

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
