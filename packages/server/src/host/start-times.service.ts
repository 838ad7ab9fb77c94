import type { Clock } from '../lib/clock.ts'
import { inBackground } from '../lib/in-background.ts'
import type { Log } from '../lib/log.ts'
import { medianStart, type StartTime } from './start-times.plan.ts'
import type { StartTimesRepo } from './start-times.repo.ts'

const freshMs = 60_000

/**
 * How long VMs take to start here. Everybody may ask, as often as they like: what was found is kept for a minute, and the
 * answer never waits for the database.
 */
export function makeStartTimes({
  repo,
  clock,
  log,
}: {
  repo: StartTimesRepo
  clock: Pick<Clock, 'now'>
  log: Pick<Log, 'error'>
}) {
  let found: StartTime | null = null
  let lookedAt = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    lookedAt = clock.now()
    found = medianStart(await repo.told())
  }

  return {
    /** As of the last look. One that is old is renewed for whoever asks next. */
    latest(): StartTime | null {
      if (Math.abs(clock.now() - lookedAt) > freshMs)
        inBackground(log, 'measuring how long VMs take to start', look())
      return found
    },
  }
}
