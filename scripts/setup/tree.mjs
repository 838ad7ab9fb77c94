import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. Every script works from here, so a relative SLIPWAY_DATA_DIR is relative to it. */
export const root = fileURLToPath(new URL('../../', import.meta.url))

/** A path inside the repository. */
export const inTree = (...parts) => join(root, ...parts)

/** Where the server keeps everything it must not lose. */
export const dataDir = () => resolve(root, process.env.SLIPWAY_DATA_DIR || 'data')

/** Which engine the server will use. */
export const engine = () => process.env.SLIPWAY_ENGINE || 'qemu'

const skipped = new Set(['node_modules', 'dist'])

/** All files under a folder, sorted, without what is installed or built. */
export function filesUnder(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return skipped.has(entry.name) ? [] : filesUnder(path)
      return entry.isFile() ? [path] : []
    })
}

/** One SHA-256 over the names and contents of files. */
export function hashOf(files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}
