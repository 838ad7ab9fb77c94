import { chmod, mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { flush } from '../../../lib/flush.ts'
import type { Log } from '../../../lib/log.ts'
import { sha256Of } from '../../../lib/whole-copy.ts'
import { ifThere, readJson, type Shape, writeDurably } from '../durable.ts'
import { isMachineId } from '../machine-dir.ts'
import { endAllOf } from '../process.ts'
import { allocatedBytes } from '../room.ts'
import { keyOf, type WarmFit } from './fit.ts'

/** The files of a frozen guest: what its disk, its memory and its devices were at the same moment. */
export interface Frozen {
  root: string
  memory: string
  state: string
}

export const frozenFiles = ['root.qcow2', 'memory', 'state'] as const
const MANIFEST = 'manifest.json'

/** Written last; the directory gets its name after that. */
export interface Manifest {
  imageId: string
  fit: WarmFit
  /** Of each file, in the order of `frozenFiles`. */
  sha256: string[]
}

const manifestSchema = z.looseObject({
  imageId: z.string(),
  fit: z.looseObject({ format: z.number(), qemu: z.string(), disk: z.string() }),
  sha256: z.array(z.string()).length(frozenFiles.length),
})
const isManifest: Shape<Manifest> = (value): value is Manifest => manifestSchema.safeParse(value).success
const isKey = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

/**
 * Frozen guests, `<dataDir>/warm/<key>/`: each appears whole or not at all, and is read back before this process uses
 * it and not used again once it was touched. Those in the making are in directories of other names beside them. Nothing
 * depends on any of them: a VM that started from one has its own disk, and goes on when it is removed.
 */
export function makeWarmStore(dataDir: string, log: Pick<Log, 'warn'>) {
  const dir = join(dataDir, 'warm')
  const pathOf = (key: string, name: string) => join(dir, key, name)
  /** Those that were read back, with what the file system said about them then. */
  const whole = new Map<string, string>()

  const filesOf = (name: string): Frozen => ({
    root: pathOf(name, 'root.qcow2'),
    memory: pathOf(name, 'memory'),
    state: pathOf(name, 'state'),
  })
  const pathsOf = (key: string) => frozenFiles.map((name) => pathOf(key, name))

  /** What tells that nobody touched the files; null when one is not there. */
  async function lookOf(key: string): Promise<string | null> {
    const seen: string[] = []
    for (const path of pathsOf(key)) {
      const found = await ifThere(path, stat(path, { bigint: true }))
      if (found === null) return null
      seen.push([found.ino, found.size, found.mtimeNs, found.ctimeNs].join())
    }
    return seen.join(' ')
  }

  const readManifest = (key: string) => readJson(pathOf(key, MANIFEST), isManifest)

  async function remove(key: string): Promise<void> {
    whole.delete(key)
    // First the name that counts, so that a crash leaves nothing that could be taken for whole.
    await rm(pathOf(key, MANIFEST), { force: true })
    await rm(join(dir, key), { recursive: true, force: true })
  }

  async function keys(): Promise<string[]> {
    return ((await ifThere(dir, readdir(dir))) ?? []).filter(isKey)
  }

  /** Reads everything back; throws what keeps it from being whole. */
  async function prove(key: string, isOfUse: (manifest: Manifest) => Promise<boolean>): Promise<boolean> {
    const manifest = await readManifest(key)
    if (manifest === null || keyOf(manifest.fit) !== key || !(await isOfUse(manifest))) return false
    const look = await lookOf(key)
    if (look === null) return false
    const sums = await sha256Of(pathsOf(key), AbortSignal.timeout(READ_BACK_MS))
    if (sums.join() !== manifest.sha256.join()) return false
    whole.set(key, look)
    return true
  }

  return {
    dir,
    filesOf,

    /** Ends and removes what was in the making when a process was killed. */
    async sweep(): Promise<void> {
      await mkdir(dir, { recursive: true, mode: 0o711 })
      for (const name of await readdir(dir)) {
        if (isKey(name)) continue
        if (isMachineId(name)) await endAllOf(name, join(dir, name))
        await rm(join(dir, name), { recursive: true, force: true })
      }
    },

    /** Reads all of them back, and removes those that are damaged or of no use any more. */
    async readBack(isOfUse: (manifest: Manifest) => Promise<boolean>): Promise<void> {
      for (const key of await keys()) {
        const isWhole = await prove(key, isOfUse).catch((err: unknown) => {
          log.warn({ err, key }, 'A frozen guest could not be read')
          return false
        })
        if (isWhole) continue
        log.warn({ key }, 'A frozen guest that is damaged or of no use any more is removed')
        await remove(key)
      }
    },

    /** Whether there is one, read back or not. */
    has: async (key: string): Promise<boolean> => (await lookOf(key)) !== null,

    /** All that can be used, with when each was used last. */
    async list(): Promise<{ key: string; imageId: string; fit: WarmFit; usedAt: number }[]> {
      const found = await Promise.all(
        [...whole.keys()].map(async (key) => {
          const manifest = await readManifest(key).catch(() => null)
          const usedAt = (await stat(pathOf(key, MANIFEST)).catch(() => null))?.mtimeMs ?? 0
          return manifest ? [{ key, imageId: manifest.imageId, fit: manifest.fit, usedAt }] : []
        }),
      )
      return found.flat()
    },

    /**
     * A frozen guest that was read back and that nobody touched since; null when there is none.
     *
     * @param isUse whether a VM starts from it, which keeps it here for longer
     */
    async find(key: string, isUse = true): Promise<Frozen | null> {
      const look = whole.get(key)
      if (look === undefined) return null
      if (look !== (await lookOf(key))) {
        log.warn({ key }, 'A frozen guest was touched by somebody else and is removed')
        await remove(key)
        return null
      }
      const now = new Date()
      if (isUse) await utimes(pathOf(key, MANIFEST), now, now)
      return filesOf(key)
    },

    /** Gives the finished files in the directory `name` their place. Others of the same image that stand on another disk go. */
    async takeIn(
      name: string,
      { imageId, fit }: Omit<Manifest, 'sha256'>,
      signal: AbortSignal,
    ): Promise<void> {
      const key = keyOf(fit)
      const paths = frozenFiles.map((file) => pathOf(name, file))
      const sha256 = await sha256Of(paths, signal)
      for (const path of paths) {
        await chmod(path, 0o600)
        await flush(path)
      }
      await writeDurably(pathOf(name, MANIFEST), { imageId, fit, sha256 } satisfies Manifest)
      await chmod(join(dir, name), 0o700)
      await remove(key)
      await rename(join(dir, name), join(dir, key))
      await flush(dir)
      const look = await lookOf(key)
      if (look !== null) whole.set(key, look)
      for (const other of await keys()) {
        const known = await readManifest(other).catch(() => null)
        if (known?.imageId === imageId && known.fit.disk !== fit.disk) await remove(other)
      }
    },

    /** Removes those that were not used for the longest time until the rest takes no more than that. */
    async makeRoom(bytes: number): Promise<void> {
      const all = await Promise.all(
        (await keys()).map(async (key) => ({
          key,
          usedAt: (await stat(pathOf(key, MANIFEST)).catch(() => null))?.mtimeMs ?? 0,
          bytes: (await Promise.all(pathsOf(key).map(allocatedBytes))).reduce((sum, size) => sum + size, 0),
        })),
      )
      let left = bytes
      for (const { key, bytes: taken } of all.sort((one, other) => other.usedAt - one.usedAt)) {
        left -= taken
        if (left < 0) await remove(key)
      }
    },
  }
}

export type WarmStore = ReturnType<typeof makeWarmStore>

const READ_BACK_MS = 10 * 60_000
