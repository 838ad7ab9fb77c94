/**
 * Says whether the wall clock may be believed when data is deleted for its age, and what time it is meanwhile. A clock
 * that jumps forward makes everything look old: a host whose battery failed, a wrong time server, a virtual host moved or
 * restored. One that jumps back makes what is stored then look old as soon as somebody puts it right.
 *
 * The guard compares how far the wall clock went with how much time really passed, which the monotonic clock knows
 * while the server runs. After a jump forward, deletions for age wait until the server has seen the new time go on
 * evenly for a day, so that an operator can put the clock right; when somebody does, they go on at once. After a jump
 * back, the time by which all is stored and judged goes on evenly for a day, as if nobody had set the clock. While the
 * server is off nobody can tell a jump from time that passed: the last time that was seen is kept, and a gap of more
 * than a day, or a time before it, counts as a jump.
 */
import type { Clock } from './clock.ts'
import { inBackground } from './in-background.ts'
import type { Log } from './log.ts'

const hourMs = 60 * 60_000
/** The wall clock may run ahead so far between two looks; more than time servers slew in months. */
const toleranceMs = hourMs
/** The server may have been off so long. Deleting so much too early is the most that a jump meanwhile can do. */
const offToleranceMs = 24 * hourMs
/** How long a new time is watched before it is believed. */
export const watchMs = 24 * hourMs
const lookEveryMs = 10 * 60_000

/** What a later process needs to know. */
export interface SeenTime {
  /** The time by the clock that is believed, in milliseconds since the epoch. */
  trustedMs: number
  /** How long another time has been watched already, in milliseconds; 0 when the clock is believed. */
  watchedMs: number
}

export interface ClockGuard {
  /** Whether data may be deleted for its age now. Cheap. */
  isTrusted: () => boolean
  /** The time of the wall clock, or of one that was never set back; milliseconds since the epoch. Cheap. */
  now: () => number
  /** Why deletions for age wait, in a sentence for the operator; null when they do not. */
  problem: () => string | null
  /** Reads what an earlier process saw and begins to look now and then. Until it resolves, nothing is believed. */
  start: () => Promise<void>
  /** Stores what was seen for a later process, out of turn. */
  keep: () => void
  close: () => void
}

export function makeClockGuard(options: {
  clock: Clock
  load: () => Promise<SeenTime | null>
  store: (seen: SeenTime) => Promise<void>
  log: Pick<Log, 'warn' | 'info' | 'error'>
}): ClockGuard {
  const { clock, load, store, log } = options
  /** Wall clock less monotonic clock when it was believed last; null before the start. */
  let trusted: number | null = null
  /** Another difference that is being watched, and since when on the monotonic clock. */
  let watched: { offset: number; sinceMs: number } | null = null
  let cancel: (() => void) | null = null

  const offsetNow = () => clock.now() - clock.monotonic()
  const aheadMs = () => (trusted === null ? 0 : offsetNow() - trusted)
  const isBehind = () => watched !== null && aheadMs() < 0

  function believe(): void {
    if (watched) log.info({}, 'the clock is believed again')
    watched = null
    trusted = offsetNow()
  }

  function look(tolerance = toleranceMs): void {
    if (trusted === null) return
    const jumpMs = aheadMs()
    if (jumpMs <= tolerance && jumpMs >= -toleranceMs) {
      believe()
      return
    }
    const isNew = watched === null || Math.abs(offsetNow() - watched.offset) > toleranceMs
    if (watched === null || isNew) {
      if (jumpMs > 0)
        log.warn({ aheadMs: jumpMs }, 'the clock jumped forward; deletions by age wait for a day')
      else log.warn({ behindMs: -jumpMs }, 'the clock went back; the time before goes on for a day')
      watched = { offset: offsetNow(), sinceMs: clock.monotonic() }
    } else if (clock.monotonic() - watched.sinceMs >= watchMs) {
      believe()
    } else {
      // Slow corrections by a time server are no jump.
      watched.offset = offsetNow()
    }
  }

  function keep(): void {
    look()
    if (trusted === null) return
    const seen = {
      trustedMs: Math.round(trusted + clock.monotonic()),
      watchedMs: watched ? Math.round(clock.monotonic() - watched.sinceMs) : 0,
    }
    inBackground(log, 'keeping the time that was seen last', store(seen))
  }

  function lookOften(): void {
    keep()
    cancel = clock.after(lookEveryMs, lookOften)
  }

  return {
    keep,
    isTrusted() {
      look()
      return trusted !== null && (watched === null || isBehind())
    },
    now() {
      look()
      return trusted !== null && isBehind() ? Math.floor(trusted + clock.monotonic()) : clock.now()
    },
    problem() {
      look()
      if (!watched) return null
      const hours = Math.max(1, Math.round(Math.abs(aheadMs()) / hourMs))
      const leftMs = watchMs - (clock.monotonic() - watched.sinceMs)
      if (trusted !== null && isBehind()) {
        const until = new Date(trusted + clock.monotonic() + leftMs).toISOString()
        return `The clock of this host went back by about ${hours} h. The time before it did goes on here until ${until}. Check the date and time of the host.`
      }
      const until = new Date(clock.now() + leftMs).toISOString()
      return `The clock of this host jumped forward by about ${hours} h. Nothing is deleted because of its age until ${until}. Check the date and time of the host.`
    },
    async start() {
      const seen = await load()
      if (seen === null) {
        trusted = offsetNow()
      } else {
        trusted = seen.trustedMs - clock.monotonic()
        const goesOn = seen.watchedMs > 0 && Math.abs(aheadMs()) > toleranceMs
        if (goesOn) watched = { offset: offsetNow(), sinceMs: clock.monotonic() - seen.watchedMs }
        else look(offToleranceMs)
      }
      lookOften()
    },
    close() {
      cancel?.()
    },
  }
}
