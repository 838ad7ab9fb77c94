import { lstat } from 'node:fs/promises'
import path from 'node:path'
import { problemWith } from '../db/kept-rows.ts'
import { sha256Of } from '../lib/whole-copy.ts'
import { type Manifest, ROWS } from './manifest.ts'

const mostNamed = 10

/** Reads everything that a backup is made of. Throws an error that names what is missing, changed or no plain file. */
export async function verifyBackup(dir: string, manifest: Manifest, signal: AbortSignal): Promise<void> {
  const problems: string[] = []
  const there: Manifest['files'] = []
  const folders = new Set<string>()
  /** Whether a folder and all above it within the backup are folders, and no links to some. */
  async function isFolder(folder: string): Promise<boolean> {
    if (folders.has(folder)) return true
    if (folder !== '.' && !(await isFolder(path.dirname(folder)))) return false
    if (!(await lstat(path.join(dir, folder)).catch(() => null))?.isDirectory()) return false
    folders.add(folder)
    return true
  }
  for (const file of manifest.files) {
    const found = (await isFolder(path.dirname(file.path)))
      ? await lstat(path.join(dir, file.path)).catch(() => null)
      : null
    if (!found) problems.push(`${file.path} is missing.`)
    else if (!found.isFile()) problems.push(`${file.path} is not a plain file.`)
    else if (found.size !== file.bytes)
      problems.push(`${file.path} has ${found.size} bytes instead of ${file.bytes}.`)
    else there.push(file)
  }
  const sums = await sha256Of(
    there.map((file) => path.join(dir, file.path)),
    signal,
  )
  for (const [index, file] of there.entries())
    if (sums[index] !== file.sha256) problems.push(`The content of ${file.path} was changed.`)
  if (problems.length === 0) {
    for (const table of manifest.tables) {
      const problem = await problemWith(path.join(dir, ROWS), table)
      if (problem) problems.push(problem)
    }
  }
  if (problems.length === 0) return
  const more = problems.length - mostNamed
  const named = problems.slice(0, mostNamed).map((problem) => `  ${problem}`)
  throw new Error(
    [`The backup in ${dir} is damaged:`, ...named, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'),
  )
}
