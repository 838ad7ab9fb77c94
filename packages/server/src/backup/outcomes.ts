/** What came of the last backups outside the host: a file of the data directory that they were made of. */
import { open, readFile, rename } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { flush } from '../lib/flush.ts'

const time = z.iso.datetime()
const Outcomes = z.object({
  /** The newest one that is complete. */
  good: z
    .object({
      id: z.string(),
      at: time,
      ended_at: time,
      bytes: z.number(),
      added_bytes: z.number(),
      left_out: z.number(),
    })
    .nullable(),
  /** The last attempt, if it failed. */
  failure: z.object({ at: time, message: z.string() }).nullable(),
  /** One that has begun, and whose end is not stored yet. */
  begun_at: time.nullable(),
})
export type Outcomes = z.infer<typeof Outcomes>

const none: Outcomes = { good: null, failure: null, begun_at: null }
const cutOff = 'The server or the program ended before the backup was complete.'

/** Only one process at a time works in a data directory, so only one writes them. */
export function makeOutcomes(dataDir: string) {
  const file = path.join(dataDir, 'backup-outcomes.json')
  let isRunning = false

  /** As they are stored: one that has begun may still be under way in another process. */
  async function stored(): Promise<Outcomes> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) return none
    try {
      return Outcomes.parse(JSON.parse(text))
    } catch {
      // Its content is a note for people and a time for the schedule; the repository has the truth.
      return none
    }
  }

  /** As they are, where one that nobody goes on with has failed. */
  async function read(): Promise<Outcomes> {
    const found = await stored()
    if (found.begun_at === null || isRunning) return found
    return { ...found, begun_at: null, failure: { at: found.begun_at, message: cutOff } }
  }

  async function write(outcomes: Outcomes): Promise<void> {
    const draft = `${file}.new`
    const handle = await open(draft, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(outcomes)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, file)
    await flush(dataDir)
  }

  return {
    read,
    stored,
    isRunning: () => isRunning,

    /** Makes a backup and stores what comes of it. Throws what that throws. */
    async record<R>(
      make: () => Promise<R>,
      goodOf: (made: R) => Omit<NonNullable<Outcomes['good']>, 'at' | 'ended_at'>,
    ): Promise<R> {
      if (isRunning) throw new Error('Another backup is being made. Try again when it is done.')
      isRunning = true
      try {
        const at = new Date().toISOString()
        const before = await read()
        await write({ ...before, begun_at: at })
        try {
          const made = await make()
          await write({
            good: { ...goodOf(made), at, ended_at: new Date().toISOString() },
            failure: null,
            begun_at: null,
          })
          return made
        } catch (error) {
          const message = error instanceof Error ? error.message : String(error)
          await write({ ...before, failure: { at: new Date().toISOString(), message }, begun_at: null })
          throw error
        }
      } finally {
        isRunning = false
      }
    },
  }
}
