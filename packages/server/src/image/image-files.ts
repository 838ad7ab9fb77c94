import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../lib/command.ts'
import { flush } from '../lib/flush.ts'

/** A file of the store: its content names it. */
export interface StoredFile {
  sha256: string
  sizeBytes: number
}

/**
 * Read-only files in one folder, each named by the SHA-256 of its content. A file appears complete or not at all,
 * and is read back the first time this process uses it and whenever it was touched since. What cannot be looked at is
 * never said to be absent: these functions throw the file system's error then.
 */
export function makeImageFiles(dir: string) {
  /** Files found good, with what the file system said about them then. */
  const verified = new Map<string, string>()
  const pathOf = (sha256: string) => join(dir, sha256)

  /** What tells that a file was not touched; null when it is not there. */
  async function lookOf(path: string): Promise<string | null> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
      return [ino, size, mtimeNs, ctimeNs].join()
    } catch (error) {
      return nullIfAbsent(error)
    }
  }

  return {
    dir,
    pathOf,

    /** Moves a finished file into the store. */
    async takeIn(path: string): Promise<StoredFile> {
      await mkdir(dir, { recursive: true })
      const sha256 = await sha256Of(path)
      const { size } = await stat(path)
      await chmod(path, 0o444)
      await flush(path)
      await rename(path, pathOf(sha256))
      await flush(dir)
      return { sha256, sizeBytes: size }
    },

    /** Whether a file is there in its full length; its content is not read. */
    async isThere({ sha256, sizeBytes }: StoredFile): Promise<boolean> {
      const found = await stat(pathOf(sha256)).catch(nullIfAbsent)
      return found?.size === sizeBytes
    },

    /** Whether this process has found the file good and nothing touched it since. */
    isVerified: async (path: string) => verified.has(path) && verified.get(path) === (await lookOf(path)),

    /** Whether a file is there and has the content its name promises; reads it only when it was touched. */
    async isGood(path: string): Promise<boolean> {
      const look = await lookOf(path)
      if (look === null) return false
      if (verified.get(path) === look) return true
      try {
        if ((await sha256Of(path)) !== path.slice(-64)) return false
      } catch (error) {
        // Gone meanwhile, or bytes that the disk does not give back: a new copy heals both.
        if (['ENOENT', 'EIO'].includes(errorCode(error) ?? '')) return false
        throw error
      }
      verified.set(path, look)
      return true
    },

    /** Every file by its SHA-256, with the room it takes and when it came. */
    async list(): Promise<{ sha256: string; path: string; bytes: number; since: number }[]> {
      const entries = (await readdir(dir).catch(nullIfAbsent)) ?? []
      const names = entries.filter((name) => /^[0-9a-f]{64}$/.test(name))
      const found = names.map(async (sha256) => {
        const path = pathOf(sha256)
        const seen = await stat(path).catch(nullIfAbsent)
        return seen ? [{ sha256, path, bytes: seen.blocks * 512, since: seen.ctimeMs }] : []
      })
      return (await Promise.all(found)).flat()
    },

    async remove(sha256: string): Promise<void> {
      verified.delete(pathOf(sha256))
      await rm(pathOf(sha256), { force: true })
    },
  }
}

export type ImageFiles = ReturnType<typeof makeImageFiles>

/** Null for what is surely not there; every other error goes on. */
export function nullIfAbsent(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null
  throw error
}

/** Of the content of a file, in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash)
  return hash.digest('hex')
}
