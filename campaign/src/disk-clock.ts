/** How long a slowed disk keeps those waiting who write to it, told by a little file that is written again and again. */
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const pauseMs = 50

/** Adds up the milliseconds that pieces of work take, one after the other. */
export function makeDiskClock(now: () => number = () => performance.now()) {
  let sum = 0
  let since: number | null = null
  const total = () => sum + (since === null ? 0 : now() - since)
  return {
    async during(work: () => Promise<unknown>): Promise<void> {
      since = now()
      // A disk that is full or gone has its own faults.
      await work().catch(() => {})
      sum = total()
      since = null
    },
    /** Begins to count; asked again, it says how much of the time since then the disk took for what it was given. */
    watch(): () => number {
      const before = total()
      return () => total() - before
    },
  }
}

export type DiskClock = ReturnType<typeof makeDiskClock>

/** Writes to a directory as whoever stores something does, until it is told to end. */
export function writeAgainAndAgain({ during }: Pick<DiskClock, 'during'>, dir: string): () => Promise<void> {
  const path = join(dir, 'pace-of-the-campaign')
  let on = true
  const writing = (async () => {
    while (on) {
      await during(async () => {
        const file = await open(path, 'w')
        try {
          await file.write('.')
          await file.datasync()
        } finally {
          await file.close()
        }
      })
      await sleep(pauseMs)
    }
    await rm(path, { force: true })
  })()
  return async () => {
    on = false
    await writing
  }
}
