import { randomUUID } from 'node:crypto'
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readJson, type Shape, UnreadableError, writeDurably } from './durable.ts'

/** The directories that hold what cannot be made again; each may be a file system of its own. */
export const placeNames = ['machines', 'volumes', 'snapshots', 'volume-snapshots'] as const
export type PlaceName = (typeof placeNames)[number]

/** In every place: says to which installation it belongs. An empty mount point has none. */
const MARKER = '.slipway'
/** In the data directory: what this installation is, and which places have its marker. */
const INSTALLATION = 'installation.json'
/** Where what was left of something incomplete goes when it holds data. */
const ORPHANS = 'orphans'

interface Installation {
  id: string
  marked: string[]
}

const installationSchema = z.looseObject({ id: z.string(), marked: z.array(z.string()) })
const isInstallation = (value: unknown): value is Installation => installationSchema.safeParse(value).success
const markerSchema = z.looseObject({ installation: z.string() })
const isMarker: Shape<{ installation: string }> = (value): value is { installation: string } =>
  markerSchema.safeParse(value).success

/**
 * The places of a data directory, and whether each is the one that was used before. A place whose file system is not
 * mounted looks empty; without its marker nothing in it counts as absent, and nothing is made or removed in it.
 */
export function makePlaces(dataDir: string) {
  let known: Installation | null = null

  async function installation(): Promise<Installation | null> {
    known ??= await readJson(join(dataDir, INSTALLATION), isInstallation)
    return known
  }

  return {
    dataDir,

    /** Makes and marks the places that were never marked; one that lost its marker is left alone. */
    async open(): Promise<void> {
      const before = await installation()
      const id = before?.id ?? randomUUID()
      const fresh = placeNames.filter((name) => !before?.marked.includes(name))
      if (fresh.length === 0) return
      for (const name of fresh) {
        await mkdir(join(dataDir, name), { recursive: true, mode: 0o700 })
        await writeDurably(join(dataDir, name, MARKER), { installation: id })
      }
      const marked = [...(before?.marked ?? []), ...fresh]
      await writeDurably(join(dataDir, INSTALLATION), { id, marked })
      known = { id, marked }
    },

    /**
     * Throws an {@link UnreadableError} unless a place is the one that was used before. To be asked before something
     * counts as absent, and before anything is made or removed.
     */
    async require(name: PlaceName): Promise<void> {
      const mine = await installation()
      if (!mine?.marked.includes(name)) return
      const path = join(dataDir, name, MARKER)
      if ((await readJson(path, isMarker))?.installation === mine.id) return
      throw new UnreadableError(`The directory ${name}/ is not the one Slipway used before. Is it mounted?`, {
        path,
      })
    },

    /**
     * Moves a directory that is not whole but holds data out of the way, for the operator to judge.
     *
     * @returns where it is now
     */
    async moveAside(place: PlaceName, entry: string, now = new Date()): Promise<string> {
      const orphans = join(dataDir, ORPHANS)
      await mkdir(orphans, { recursive: true, mode: 0o700 })
      const to = join(orphans, `${place}-${entry}-${now.toISOString().replaceAll(':', '')}`)
      const from = join(dataDir, place, entry)
      await rename(from, to).catch((error: unknown) => {
        throw new UnreadableError('The remaining files on the host could not be moved aside.', {
          path: from,
          cause: error,
        })
      })
      return to
    },
  }
}

export type Places = ReturnType<typeof makePlaces>
