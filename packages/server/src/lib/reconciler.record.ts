import type { Clock } from './clock.ts'

/** What a reconciler did last, what waits, and what fails. Moments are milliseconds since the epoch. */
export interface ReconcilerStats {
  name: string
  /** Ids that wait for a look to begin. */
  queued: number
  /** Looks under way, without abandoned ones. */
  working: number
  /** How long the oldest of them has been under way, in milliseconds; null when there is none. */
  oldestMs: number | null
  /** Abandoned looks that have not ended yet. */
  abandonedUnderWay: number
  /** Ids whose last look failed, and the most failures in a row that one of them has. */
  failing: number
  failuresInARow: number
  /** When the last look ended or was abandoned, at which id, how long it took, and the longest one so far. */
  lastLook: { at: number; id: string; ms: number } | null
  longestMs: number
  /** Since the process began. */
  looks: number
  failed: number
  abandoned: number
  /** When the last scan ended and how long it took; scans that failed since one succeeded. */
  lastScan: { at: number; ms: number } | null
  scansFailedInARow: number
  /** What went wrong last, and at which id; null in a scan. Null when nothing did. */
  lastFailure: { at: number; id: string | null; message: string } | null
}

/** What an operator reads; the log has all of it. */
const longestMessage = 500

type Recorded = Omit<ReconcilerStats, 'queued' | 'failing' | 'failuresInARow'>

/** Takes note of the looks and scans of one reconciler. */
export function makeReconcilerRecord(name: string, clock: Pick<Clock, 'now'>) {
  /** When each look under way began, by a clock that nobody sets. */
  const underWay = new Map<string, number>()
  let abandonedUnderWay = 0
  let lastLook: ReconcilerStats['lastLook'] = null
  let longestMs = 0
  const counts = { looks: 0, failed: 0, abandoned: 0 }
  let lastScan: ReconcilerStats['lastScan'] = null
  let scansFailedInARow = 0
  let lastFailure: ReconcilerStats['lastFailure'] = null

  return {
    /** Something went wrong at an id, or in a scan. */
    failedWith(id: string | null, error: unknown): void {
      const message = error instanceof Error ? error.message : String(error)
      lastFailure = { at: clock.now(), id, message: message.slice(0, longestMessage) }
    },

    /** `ended` is for the look itself, whenever that is; `left` for when the reconciler waits for it no longer. */
    lookBegins(id: string) {
      const began = performance.now()
      underWay.set(id, began)
      let hasEnded = false
      let isAbandoned = false
      return {
        ended(): void {
          hasEnded = true
          if (isAbandoned) abandonedUnderWay--
        },
        left(succeeded: boolean): void {
          underWay.delete(id)
          const ms = performance.now() - began
          lastLook = { at: clock.now(), id, ms }
          longestMs = Math.max(longestMs, ms)
          counts.looks++
          if (succeeded) return
          counts.failed++
          if (hasEnded) return
          isAbandoned = true
          counts.abandoned++
          abandonedUnderWay++
        },
      }
    },

    scanBegins() {
      const began = performance.now()
      return {
        ended(succeeded: boolean): void {
          lastScan = { at: clock.now(), ms: performance.now() - began }
          scansFailedInARow = succeeded ? 0 : scansFailedInARow + 1
        },
      }
    },

    read(): Recorded {
      const [oldest] = underWay.values()
      return {
        name,
        working: underWay.size,
        oldestMs: oldest === undefined ? null : performance.now() - oldest,
        abandonedUnderWay,
        lastLook,
        longestMs,
        ...counts,
        lastScan,
        scansFailedInARow,
        lastFailure,
      }
    },
  }
}
