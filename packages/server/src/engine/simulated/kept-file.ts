import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'
import type { Clock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/command.ts'

/** Changes within this time are saved together. */
const GATHER_MS = 10
/** Saving may take this part of the time at most, however much there is to save. */
const SHARE = 0.1
const RETRY_MS = 1_000

/**
 * The file that keeps a simulated world over a restart of the server. It is replaced in one step, so that a crash
 * leaves the old or the new world; without a path nothing is kept.
 *
 * @param world what to save, as it is now
 */
export function makeKeptFile(path: string | null, clock: Pick<Clock, 'after'>, world: () => unknown) {
  /** Cancels the next save, when one is planned. */
  let planned: (() => void) | null = null
  let tookMs = 0
  let waiting: (() => void)[] = []

  function save(): void {
    if (path !== null) planned ??= clock.after(Math.max(GATHER_MS, tookMs / SHARE), saveNow)
  }

  function saveNow(): void {
    planned?.()
    planned = null
    if (path === null) return
    const begun = performance.now()
    try {
      writeFileSync(`${path}.new`, JSON.stringify(world()), { mode: 0o600 })
      renameSync(`${path}.new`, path)
    } catch {
      // A full disk, say: what waits for it goes on waiting.
      rmSync(`${path}.new`, { force: true })
      planned = clock.after(RETRY_MS, saveNow)
      return
    }
    tookMs = performance.now() - begun
    const done = waiting
    waiting = []
    for (const resolve of done) resolve()
  }

  return {
    /** Saves soon. */
    save,
    saveNow,

    /** Makes a call resolve only when what it changed has been saved. */
    saved:
      <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const result = await call(...args)
        if (planned) await new Promise<void>((resolve) => waiting.push(resolve))
        return result
      },

    /** What was saved last; null when nothing was. Throws when the file is there and cannot be read. */
    load<T>(schema: z.ZodType<T>): T | null {
      if (path === null) return null
      try {
        return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return null
        throw new Error(
          `The simulated engine cannot read what it kept in ${path}. Restore the file, or move it away to start with nothing.`,
          { cause: error },
        )
      }
    },
  }
}
