import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { livingProcess, thisProcess } from './process-identity.ts'

/**
 * Makes sure one process works on a directory at a time: two would both drive the same guests. Returns the way to
 * give it up; a killed owner is recognised by its process id and start time. Throws when the owner lives.
 */
export async function ownDirectory(dir: string): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, 'server.lock')
  const mine = JSON.stringify(await thisProcess())
  for (let tries = 0; tries < 5; tries++) {
    try {
      await writeFile(file, mine, { flag: 'wx', mode: 0o600 })
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const owner = await livingProcess(await readFile(file, 'utf8').catch(() => ''))
    if (owner) {
      throw new Error(
        `Another Slipway server (process ${owner.pid}) works on ${dir}. Stop it first, or set SLIPWAY_DATA_DIR to another directory.`,
      )
    }
    await rm(file, { force: true })
  }
  throw new Error(`The lock file ${file} could not be taken.`)
}
