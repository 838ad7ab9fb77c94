import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { type BootImage, ImageError, STARTER_IMAGE } from './boot-image.ts'
import { makeImageFiles } from './image-files.ts'
import { type Build, makeImageMaking, type Prover } from './image-making.ts'
import { makeManifests } from './image-manifests.ts'
import { makeRoom } from './image-room.ts'
import { makeImageShelf } from './image-shelf.ts'
import { type ImageStoreState, makeImageStates, type Tell } from './image-states.ts'
import { makeWorkDirs } from './image-work.ts'
import { makeKnownImages } from './known-images.ts'
import type { Recipe } from './recipe.ts'

export { type BootImage, ImageError, STARTER_IMAGE } from './boot-image.ts'
export type { Prover } from './image-making.ts'
export type { ImageStoreState } from './image-states.ts'

export interface ImageStore {
  /** How it is with an image, at a glance; starts nothing. */
  look(imageId: string): Promise<ImageStoreState | { state: 'absent' }>
  /** The files of an image that is ready, as far as a glance tells; null where it is not. */
  find(imageId: string): Promise<BootImage | null>
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

const FAILURE_TOLD_MS = 60_000
/** Whoever asks is spared a second round when what there is to check takes no longer than this. */
const PATIENCE_MS = 300
/** How often the progress of an image below is told as that of the one above. */
const FOLLOW_MS = 500

export interface ImageStoreOptions {
  dir: string
  log: Log
  recipes: readonly Recipe[]
  build: Build
  /** Absent: images are ready without having been booted. */
  prover?: Prover
  /** Files that machines and snapshots stand on; rejects when that cannot be told, and then nothing is removed. */
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
  const { log, build, prover, inUse, budgetBytes, rootBytes, now = Date.now } = options
  // Overlays and machine records keep the paths, so they must hold from everywhere.
  const dir = resolve(options.dir)
  const files = makeImageFiles(join(dir, 'files'))
  const manifests = makeManifests(dir, log)
  const known = makeKnownImages(options.recipes)
  const shelf = makeImageShelf({ files, manifests, known, now, log })
  const states = makeImageStates(now)
  const workDirs = makeWorkDirs(dir)
  const making = makeImageMaking({
    known,
    files,
    manifests,
    shelf,
    workDirs,
    build,
    prover,
    useLower,
    rootBytes,
    now,
    log,
  })
  let ending = new AbortController()

  const notCleared = (error: unknown) => log.warn({ err: error }, 'What images left behind was not cleared')

  async function clearRoom(): Promise<void> {
    const stays = (imageId: string) => imageId === STARTER_IMAGE || states.isComing(imageId)
    const used = await inUse()
    await makeRoom({ files, manifests, used, stays, budgetBytes, now, log })
  }

  function use(imageId: string): Promise<BootImage> {
    if (!known.has(imageId)) return Promise.reject(new ImageError(unknown))
    const first = `Checking the files of the ${known.nameOf(imageId)} image`
    return states.once(imageId, first, async function makeReady(tell) {
      const there = await shelf.check(imageId)
      if (there) return there
      const made = await making.make(imageId, ending.signal, tell)
      await clearRoom().catch(notCleared)
      return made
    })
  }

  async function useLower(imageId: string, tell: Tell): Promise<void> {
    const made = use(imageId)
    const follow = setInterval(() => {
      const below = states.coming(imageId)
      if (below) tell(below.what, below.progress)
    }, FOLLOW_MS)
    await made.finally(() => clearInterval(follow))
  }

  async function look(imageId: string): ReturnType<ImageStore['look']> {
    if (!known.has(imageId)) return { state: 'unavailable', reason: unknown }
    if (await shelf.find(imageId)) return { state: 'ready' }
    return states.coming(imageId) ?? states.failure(imageId) ?? { state: 'absent' }
  }

  async function ensure(imageId: string, again: boolean): Promise<ImageStoreState> {
    if (!known.has(imageId)) return { state: 'unavailable', reason: unknown }
    const told = states.coming(imageId) ?? (again ? null : states.failure(imageId, FAILURE_TOLD_MS))
    if (told) return told
    if (await shelf.isAtHand(imageId)) return { state: 'ready' }
    // Whoever asked wants to know, not to wait. A failure is kept with the states and logged.
    const soon = use(imageId).then(
      () => true,
      () => true,
    )
    await Promise.race([soon, sleep(PATIENCE_MS, null, { ref: false })])
    return states.coming(imageId) ?? states.failure(imageId, FAILURE_TOLD_MS) ?? { state: 'ready' }
  }

  return {
    use,
    look: (imageId) => look(imageId).catch(tellUnreadable),
    find: (imageId) => (known.has(imageId) ? shelf.find(imageId) : Promise.resolve(null)),
    ensure: (imageId, again = false) => ensure(imageId, again).catch(tellUnreadable),
    async verify(imageId, image) {
      if ((await shelf.damaged(imageId, image)).length === 0) return
      // The same packages give the same bytes, so building again may heal the file.
      await use(imageId)
      if ((await shelf.damaged(imageId, image)).length > 0) {
        throw new ImageError('A file of the boot image is missing.')
      }
    },
    async open() {
      ending = new AbortController()
      await mkdir(files.dir, { recursive: true })
      await workDirs.sweep(async (workDir) => prover?.sweep(workDir)).catch(notCleared)
      await clearRoom().catch(notCleared)
    },
    async close() {
      ending.abort(new ImageError('The server is stopping.'))
      await states.settle()
    },
  }
}

const unknown = 'The image does not exist.'

/** What cannot be read may be read the next time somebody looks: a state like every other. */
function tellUnreadable(error: unknown): ImageStoreState {
  if (!(error instanceof ImageError)) throw error
  return { state: 'unavailable', reason: error.message }
}
