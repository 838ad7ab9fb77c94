import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Start time of a process in clock ticks since boot (field 22 of its stat); null when there is none. */
async function startTimeOf(pid: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  } catch {
    return null
  }
}

/**
 * Makes sure one process works on a directory at a time: two would both drive the same guests. Returns the way to
 * give it up; a killed owner is recognised by its process id and start time. Throws when the owner lives.
 */
export async function ownDirectory(dir: string): Promise<() => Promise<void>> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const file = path.join(dir, 'server.lock')
  const mine = JSON.stringify({ pid: process.pid, started: await startTimeOf(process.pid) })
  for (let tries = 0; tries < 5; tries++) {
    try {
      await writeFile(file, mine, { flag: 'wx', mode: 0o600 })
      return () => rm(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const text = await readFile(file, 'utf8').catch(() => '')
    const owner = parseOwner(text)
    if (owner && (await startTimeOf(owner.pid)) === owner.started) {
      throw new Error(
        `Another Slipway server (process ${owner.pid}) works on ${dir}. Stop it first, or set SLIPWAY_DATA_DIR to another directory.`,
      )
    }
    await rm(file, { force: true })
  }
  throw new Error(`The lock file ${file} could not be taken.`)
}

function parseOwner(text: string): { pid: number; started: string } | null {
  try {
    const { pid, started } = JSON.parse(text) as Record<string, unknown>
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : null
  } catch {
    return null
  }
}
