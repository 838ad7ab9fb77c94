import { chmod, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import path from 'node:path'

/** What the group and everybody else may do. */
const OTHERS = 0o077
/** Set on folders in which all users of a machine keep files, such as `/tmp`. */
const SHARED = 0o1000

/**
 * Makes the data directory for its owner alone, and from here on everything else this process makes: it holds
 * password hashes, links of mails, and the memory of guests. One that is there already, and what lies directly in it,
 * is closed to others. Every program that works in the directory begins with this.
 *
 * @returns what could not be closed, each a sentence with what helps; empty when all is well
 */
export async function openDataDirectory(dir: string): Promise<string[]> {
  process.umask(OTHERS)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const { mode } = await stat(dir)
  if (mode & SHARED) {
    return [
      `${dir} is shared by all users of this host and stays accessible to them. Set SLIPWAY_DATA_DIR to a directory of its own.`,
    ]
  }
  // The directory first: once it is closed, nobody gets at what lies deeper.
  const open = (await close(dir, mode)) ? [] : [dir]
  for (const name of await readdir(dir)) {
    const entry = path.join(dir, name)
    const found = await lstat(entry).catch(absent)
    // The mode of a link says nothing, and where it leads is not ours to judge.
    if (found && !found.isSymbolicLink() && !(await close(entry, found.mode))) open.push(entry)
  }
  return open.map((entry) => `${entry} is accessible to other users of this host. Run: chmod go= '${entry}'`)
}

/** Whether others are shut out, if need be from now on. */
async function close(entry: string, mode: number): Promise<boolean> {
  if ((mode & OTHERS) === 0) return true
  return chmod(entry, mode & 0o7777 & ~OTHERS).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  )
}

/** A file that went between two looks is no concern; any other error is. */
function absent(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error
  return null
}
