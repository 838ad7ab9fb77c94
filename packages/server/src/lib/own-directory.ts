import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { livingProcess, thisProcess } from './process-identity.ts'
import { isDiskFull } from './way-out.ts'

/** Another process works in a directory. */
export class DirectoryInUse extends Error {}

/**
 * Makes sure one process works on a directory at a time: two would both drive the same guests. Returns the way to
 * give it up. Throws when another has it.
 *
 * The lock is the kernel's, on a file that SQLite holds for us, as Node cannot lock files itself: it ends with the
 * process, however that ends, so nothing is ever left that had to be taken over. `server.lock` only tells whose it is.
 */
export async function ownDirectory(dir: string): Promise<() => Promise<void>> {
  const file = path.join(dir, 'server.lock')
  const lock = holdLock(path.join(dir, 'server.lock.sqlite'))
  // Servers of earlier versions have no lock but this file.
  const owner = await livingProcess(await readFile(file, 'utf8').catch(() => ''))
  if (!lock || (owner && owner.pid !== process.pid)) {
    lock?.close()
    throw new DirectoryInUse(
      `Another Slipway server${owner ? ` (process ${owner.pid})` : ''} is using ${dir}. Stop it first, or set SLIPWAY_DATA_DIR to another directory.`,
    )
  }
  try {
    await writeFile(`${file}.new`, JSON.stringify(await thisProcess()), { mode: 0o600 })
    await rename(`${file}.new`, file)
  } catch (error) {
    // The lock holds without it; what is left of an earlier server's text names nobody who lives.
    await rm(`${file}.new`, { force: true })
    if (!isDiskFull(error)) {
      lock.close()
      throw error
    }
  }
  return async () => {
    await rm(file, { force: true })
    lock.close()
  }
}

/** Holds a lock until it is closed; null when another process, or another part of this one, has it. */
export function holdLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    // Nothing is ever written: a journal on the disk would only keep a server from starting on a full one.
    lock.exec('pragma journal_mode=memory; begin exclusive')
    return lock
  } catch (error) {
    lock.close()
    // SQLITE_BUSY.
    if (error instanceof Error && 'errcode' in error && error.errcode === 5) return null
    throw error
  }
}
