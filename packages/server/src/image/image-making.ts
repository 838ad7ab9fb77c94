import { mkdir, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../lib/command.ts'
import type { Log } from '../lib/log.ts'
import { type BootImage, ImageError } from './boot-image.ts'
import type { BuildWork, BuiltImage, LowerImage } from './builder.ts'
import type { ImageFiles } from './image-files.ts'
import type { Manifest, Manifests } from './image-manifests.ts'
import type { ImageShelf } from './image-shelf.ts'
import type { Tell } from './image-states.ts'
import type { WorkDirs } from './image-work.ts'
import { ImportError } from './import-error.ts'
import type { KnownImages } from './known-images.ts'
import type { Recipe } from './recipe.ts'

export interface Prover {
  /** Boots an image and runs the checks of its recipe inside; throws an ImageError when one fails. */
  prove(image: BootImage, recipe: Recipe, work: Omit<BuildWork, 'onProgress'>): Promise<void>
  /** Ends the guests that a killed process left in its work directory. */
  sweep(workDir: string): Promise<void>
}

/** Makes an image after its recipe; `lower` is there exactly when the recipe extends another. */
export type Build = (recipe: Recipe, lower: LowerImage | null, work: BuildWork) => Promise<BuiltImage>

/** Makes images: those that are built one after the other, those that are fetched side by side. */
export function makeImageMaking(deps: {
  known: KnownImages
  files: ImageFiles
  manifests: Manifests
  shelf: ImageShelf
  workDirs: WorkDirs
  build: Build
  prover: Prover | undefined
  /** Makes the image ready that another one stands on. */
  useLower: (imageId: string, tell: Tell) => Promise<void>
  rootBytes: number
  now: () => number
  log: Log
}) {
  const { known, files, manifests, shelf, workDirs, build, prover, now, log } = deps
  /** Building takes all a small host has. */
  let lastBuild: Promise<unknown> = Promise.resolve()

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = lastBuild.then(work, work)
    lastBuild = result.catch(() => {})
    return result
  }

  async function lowerManifest(imageId: string, tell: Tell): Promise<Manifest> {
    await deps.useLower(imageId, tell)
    const manifest = await shelf.manifest(imageId)
    if (!manifest) throw new ImageError(`The ${known.nameOf(imageId)} image was deleted meanwhile.`)
    return manifest
  }

  function lowerFilesOf(manifest: Manifest): LowerImage {
    const { disk, tree } = manifest.files
    if (!tree) throw new ImageError(`Nothing can be built upon the image ${manifest.image}.`)
    return { disk: files.pathOf(disk.sha256), tree: files.pathOf(tree.sha256) }
  }

  const candidateOf = (built: BuiltImage, lower: Manifest | null): BootImage => ({
    ...(lower ? { ...shelf.bootImageOf(lower), lower: files.pathOf(lower.files.disk.sha256) } : {}),
    disk: built.disk,
    ...(built.kernel ? { kernel: built.kernel } : {}),
    ...(built.initrd ? { initrd: built.initrd } : {}),
    ...(built.cmdline ? { cmdline: built.cmdline } : {}),
  })

  /** Moves what was built into the store and writes the manifest last. */
  async function takeIn(
    imageId: string,
    recipe: Recipe,
    built: BuiltImage,
    lower: Manifest | null,
  ): Promise<Manifest> {
    const manifest: Manifest = {
      image: imageId,
      version: await known.versionOf(imageId),
      sources: built.sources,
      files: {
        disk: await files.takeIn(built.disk),
        ...(built.kernel ? { kernel: await files.takeIn(built.kernel) } : {}),
        ...(built.initrd ? { initrd: await files.takeIn(built.initrd) } : {}),
        ...(built.tree ? { tree: await files.takeIn(built.tree) } : {}),
      },
      cmdline: built.cmdline ?? null,
      lower,
      rootBytes: recipe.kind === 'starter' ? null : deps.rootBytes,
    }
    await manifests.write(manifest)
    return manifest
  }

  async function makeNow(
    imageId: string,
    recipe: Recipe,
    lower: Manifest | null,
    signal: AbortSignal,
    tell: Tell,
  ): Promise<BootImage> {
    const name = known.nameOf(imageId)
    const what =
      recipe.kind === 'foreign' ? `Downloading the image from ${name}` : `Building the ${name} image`
    const startedAt = now()
    tell(what, null)
    log.info({ image: imageId }, what)
    await mkdir(files.dir, { recursive: true })
    const { workDir, buildDir } = await workDirs.open()
    try {
      const built = await build(recipe, lower && lowerFilesOf(lower), {
        workDir: buildDir,
        signal,
        onProgress: (fraction) => tell(what, fraction),
      })
      if (prover && recipe.kind !== 'foreign') {
        tell(`Checking the ${name} image in a guest`, null)
        if (lower) await layBeside(built.disk, lowerFilesOf(lower).disk)
        await prover.prove(candidateOf(built, lower), recipe, { workDir, signal })
      }
      const manifest = await takeIn(imageId, recipe, built, lower)
      log.info({ image: imageId, ms: now() - startedAt }, `The ${name} image is ready`)
      return shelf.bootImageOf(manifest)
    } catch (error) {
      const failure = asImageError(error, name, recipe)
      if (!signal.aborted) log.error({ image: imageId, err: error }, failure.message)
      throw failure
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  }

  return {
    /** Throws an ImageError when it cannot be made. */
    async make(imageId: string, signal: AbortSignal, tell: Tell): Promise<BootImage> {
      const recipe = known.recipeOf(imageId)
      const lower = recipe.kind === 'layer' ? await lowerManifest(recipe.extends, tell) : null
      const makeIt = () => makeNow(imageId, recipe, lower, signal, tell)
      return recipe.kind === 'foreign' ? makeIt() : inTurn(makeIt)
    },
  }
}

/** Disks name the one they stand on by its bare name: in the store they lie side by side, but not before. */
async function layBeside(disk: string, lower: string): Promise<void> {
  const link = join(dirname(disk), basename(lower))
  await rm(link, { force: true })
  await symlink(lower, link)
}

function asImageError(error: unknown, name: string, recipe: Recipe): ImageError {
  if (error instanceof ImageError) return error
  if (error instanceof ImportError) {
    return new ImageError(error.message, { cause: error, noSpace: error.noSpace })
  }
  const failed = `The ${name} image could not be built:`
  if (errorCode(error) === 'ENOSPC') {
    return new ImageError(`${failed} the disk is full.`, { cause: error, noSpace: true })
  }
  if (errorCode(error) === 'ENOENT') {
    return new ImageError(`${failed} a required program is not installed. Run npm run doctor.`, {
      cause: error,
    })
  }
  const why =
    recipe.kind === 'foreign' ? 'its disk could not be read' : 'a package could not be fetched or installed'
  return new ImageError(`${failed} ${why}.`, { cause: error })
}
