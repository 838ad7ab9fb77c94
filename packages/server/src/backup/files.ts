import { lstat, readdir, stat, statfs } from 'node:fs/promises'
import path from 'node:path'

/** Left over where a backup or a restore is written. */
const RESERVE_BYTES = 64 * 1024 ** 2

/** Names of everything in a directory; null when there is none. */
export async function namesIn(dir: string): Promise<string[] | null> {
  return readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** All plain files below a directory, by their paths from there, in order. */
export async function filesBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
    .sort()
}

/** Everything below a directory but directories, by its path from there. */
export async function everythingBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)))
}

/** All directories below one, itself last, the deepest first. */
export async function foldersBelow(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
  return [...folders.sort().reverse(), dir]
}

/** What files take on their disk, holes left out. One that is gone takes nothing. */
export async function bytesOf(dir: string, files: readonly string[]): Promise<number> {
  let bytes = 0
  for (const file of files)
    bytes += await lstat(path.join(dir, file)).then(
      ({ blocks }) => blocks * 512,
      () => 0,
    )
  return bytes
}

/** Throws a sentence when a directory, or the nearest one above that is there, has no room for so many bytes. */
export async function requireRoomIn(dir: string, bytes: number): Promise<void> {
  let there = dir
  while (!(await stat(there).catch(() => null))) there = path.dirname(there)
  const { bavail, bsize } = await statfs(there)
  const [needed, free] = [bytes + RESERVE_BYTES, bavail * bsize]
  if (free >= needed) return
  throw new Error(
    `${dir} does not have enough free space: ${inWords(needed)} are needed, and ${inWords(free)} are free.`,
  )
}

export function inWords(bytes: number): string {
  const gib = bytes / 1024 ** 3
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.ceil(bytes / 1024 ** 2)} MiB`
}
