/**
 * The loop that makes wishes true. It knows no domain word: it is told how to look at one id and which ids there
 * are, and it takes care of when.
 *
 * - `kick(id)` means "look at this id soon" and carries nothing else. Requests, engine events, timers and the scan
 *   all only kick, so there is one path for "just now", "after a restart" and "somebody else changed it".
 * - One worker per id; kicks that come while it works are one more look afterwards. Different ids run side by side,
 *   at most `parallel` of them.
 * - A look does at most one step and says when to look again: at once, after some time, or when kicked. There is no
 *   stored plan, so a killed process leaves nothing to replay.
 * - A look that throws is tried again with exponential back-off and jitter; `onFailure` may store and show it.
 * - The scan kicks what needs a look although nobody said so: lost events heal.
 */
import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** When to look again: at once, after so many milliseconds, or only when kicked. */
export type Again = 'now' | { afterMs: number } | 'when-kicked'

export interface ReconcilerOptions {
  name: string
  look: (id: string) => Promise<Again>
  /** The ids that need a look. */
  scan: () => Promise<Iterable<string>>
  scanEveryMs: number
  parallel: number
  clock: Clock
  log: Log
  /** Called after a look threw; `failures` counts in a row. */
  onFailure?: (id: string, error: unknown, failures: number, retryInMs: number) => Promise<void>
}

export interface Reconciler {
  kick: (id: string) => void
  /** Scans soon, out of turn: many ids may need a look. */
  rescan: () => void
  /** Scans at once and from then on regularly; resolves after the first scan has kicked. */
  start: () => Promise<void>
  /** Takes no new work and waits for the looks under way. */
  stop: () => Promise<void>
  /** Resolves when no look is under way or due at once; for tests. */
  idle: () => Promise<void>
}

interface Worker {
  working: boolean
  again: boolean
  failures: number
  cancelTimer: (() => void) | null
}

export function makeReconciler(options: ReconcilerOptions): Reconciler {
  const { name, clock, log } = options
  const workers = new Map<string, Worker>()
  const queue: string[] = []
  let busy = 0
  let stopped = false
  let cancelScan: (() => void) | null = null
  let waiters: (() => void)[] = []

  function kick(id: string): void {
    if (stopped) return
    const worker = workers.get(id) ?? { working: false, again: false, failures: 0, cancelTimer: null }
    workers.set(id, worker)
    worker.cancelTimer?.()
    worker.cancelTimer = null
    if (worker.again) return
    worker.again = true
    if (!worker.working) {
      queue.push(id)
      pump()
    }
  }

  function pump(): void {
    while (busy < options.parallel) {
      const id = queue.shift()
      if (id === undefined) break
      busy++
      void work(id).finally(() => {
        busy--
        pump()
      })
    }
    if (busy === 0 && queue.length === 0) {
      for (const done of waiters) done()
      waiters = []
    }
  }

  async function work(id: string): Promise<void> {
    const worker = workers.get(id)
    if (!worker || stopped) return
    worker.working = true
    worker.again = false
    let next: Again
    try {
      next = await options.look(id)
      worker.failures = 0
    } catch (error) {
      worker.failures++
      const retryInMs = backoffMs(worker.failures)
      log.warn({ reconciler: name, id, failures: worker.failures, retryInMs, err: error }, 'a look failed')
      next = { afterMs: retryInMs }
      await options.onFailure?.(id, error, worker.failures, retryInMs).catch((second: unknown) => {
        log.error({ reconciler: name, id, err: second }, 'the failure of a look could not be stored')
      })
    }
    worker.working = false
    if (stopped) return
    if (worker.again || next === 'now') {
      worker.again = true
      queue.push(id)
    } else if (next === 'when-kicked') {
      workers.delete(id)
    } else {
      worker.cancelTimer = clock.after(next.afterMs, () => kick(id))
    }
  }

  async function scan(): Promise<void> {
    const started = performance.now()
    try {
      for (const id of await options.scan()) if (!workers.has(id)) kick(id)
      log.debug({ reconciler: name, ms: Math.round(performance.now() - started) }, 'scanned')
    } catch (error) {
      log.error({ reconciler: name, err: error }, 'the scan failed')
    }
    cancelScan?.()
    if (!stopped) cancelScan = clock.after(options.scanEveryMs, () => void scan())
  }

  return {
    kick,
    rescan: () => void scan(),
    start: scan,
    async stop() {
      stopped = true
      cancelScan?.()
      for (const worker of workers.values()) worker.cancelTimer?.()
      queue.length = 0
      if (busy > 0) await new Promise<void>((resolve) => waiters.push(resolve))
    },
    idle() {
      return busy === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => waiters.push(resolve))
    },
  }
}
