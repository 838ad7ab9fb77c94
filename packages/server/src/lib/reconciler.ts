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
 * - A look that does not end in time is abandoned and counts as failed: its place goes to another id, and its own id
 *   is looked at again after the back-off. The abandoned look may still be inside an engine call then. A second look
 *   beside it is allowed, because every call of the engine may be repeated at any moment (promise 2 of the port);
 *   when and how the abandoned one ends changes nothing here.
 * - Somebody who ends a thing by force does not wait behind others: `hurry(id)` looks at once, beside the looks that are
 *   allowed, and a look at the same id that is under way has two seconds more before it is abandoned.
 * - The scan kicks what needs a look although nobody said so: lost events heal. There is one scan at a time; it is
 *   abandoned like a look when it does not end, and the next one is due as usual.
 */
import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import { withDeadline } from './deadline.ts'
import { inBackground } from './in-background.ts'
import type { Log } from './log.ts'
import { makeReconcilerRecord, type ReconcilerStats } from './reconciler.record.ts'

/** When to look again: at once, after so many milliseconds, or only when kicked. */
export type Again = 'now' | { afterMs: number } | 'when-kicked'

/** The earlier of two. */
export function sooner(one: Again, other: Again): Again {
  if (one === 'now' || other === 'when-kicked') return one
  if (other === 'now' || one === 'when-kicked') return other
  return one.afterMs <= other.afterMs ? one : other
}

export interface ReconcilerOptions {
  name: string
  look: (id: string) => Promise<Again>
  /** The ids that need a look. */
  scan: () => Promise<Iterable<string>>
  scanEveryMs: number
  parallel: number
  clock: Clock
  log: Log
  /** When a look or a scan is abandoned, in milliseconds. */
  limitMs?: number
  /** What every look and scan is done in: under the lease of the server that drives. */
  within: <T>(act: () => T) => T
  /** Called after a look threw or was abandoned; `failures` counts in a row. */
  onFailure?: (id: string, error: unknown, failures: number, retryInMs: number) => Promise<void>
}

export interface Reconciler {
  kick: (id: string) => void
  /** Looks at the id whoever else is being looked at, and cuts short a look at it that does not end. */
  hurry: (id: string) => void
  /** Scans soon, out of turn: many ids may need a look. During a scan it asks for one more afterwards. */
  rescan: () => void
  /** Looks soon at all whose last look failed: what was in their way may be gone. */
  retry: () => void
  /** Scans at once and from then on regularly; resolves after the first scan has kicked. */
  start: () => Promise<void>
  /** Takes no new work and waits for the looks under way, though not for long: a look may be cut off anywhere. */
  stop: () => Promise<void>
  /** Resolves when no look is under way or due at once; for tests. */
  idle: () => Promise<void>
  /** What it did last, what waits, and what fails. */
  stats: () => ReconcilerStats
}

interface Worker {
  working: boolean
  again: boolean
  failures: number
  cancelTimer: (() => void) | null
  /** Leaves the look under way soon. */
  cutShort: (() => void) | null
}

/**
 * Long work is in jobs. What is left in a look and takes longest is QEMU reading a guest's memory while a VM starts
 * from a snapshot, and calls to a guest that has stopped answering, each of which has a deadline of its own.
 */
const usualLimitMs = 120_000
const stopLimitMs = 20_000
/** What a look that is well still gets when somebody hurries. */
const hurryMs = 2_000

export function makeReconciler(options: ReconcilerOptions): Reconciler {
  const { name, clock, log, limitMs = usualLimitMs } = options
  const workers = new Map<string, Worker>()
  const queue: string[] = []
  const record = makeReconcilerRecord(name, clock)
  let busy = 0
  let stopped = false
  let cancelScan: (() => void) | null = null
  let scanning: Promise<void> | null = null
  let scanAgain = false
  let waiters: (() => void)[] = []

  function kick(id: string): void {
    if (stopped) return
    const worker = workers.get(id) ?? {
      working: false,
      again: false,
      failures: 0,
      cancelTimer: null,
      cutShort: null,
    }
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

  function hurry(id: string): void {
    kick(id)
    workers.get(id)?.cutShort?.()
    const place = queue.indexOf(id)
    if (place === -1) return
    queue.splice(place, 1)
    begin(id)
  }

  function begin(id: string): void {
    busy++
    const turn = options
      .within(() => work(id))
      .finally(() => {
        busy--
        pump()
      })
    inBackground(log, `reconciler ${name} with ${id}`, turn)
  }

  function pump(): void {
    while (busy < options.parallel) {
      const id = queue.shift()
      if (id === undefined) break
      begin(id)
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
      next = await lookInTime(id, worker)
      worker.failures = 0
    } catch (error) {
      worker.failures++
      const retryInMs = backoffMs(worker.failures)
      record.failedWith(id, error)
      log.warn({ reconciler: name, id, failures: worker.failures, retryInMs, err: error }, 'a look failed')
      next = { afterMs: retryInMs }
      await showFailure(id, error, worker.failures, retryInMs)
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

  async function lookInTime(id: string, worker: Worker): Promise<Again> {
    const noted = record.lookBegins(id)
    const look = (async () => options.look(id))()
    look.then(noted.ended, noted.ended)
    let cancelCut = (): void => {}
    const cut = new Promise<null>((resolve) => {
      worker.cutShort = () => {
        worker.cutShort = null
        cancelCut = clock.after(hurryMs, () => resolve(null))
      }
    })
    try {
      const what = `The look of reconciler ${name} at ${id}`
      const next = await withDeadline(Promise.race([look, cut]), limitMs, what, clock)
      noted.left(next !== null)
      return next ?? 'now'
    } catch (error) {
      noted.left(false)
      throw error
    } finally {
      worker.cutShort = null
      cancelCut()
    }
  }

  async function showFailure(id: string, error: unknown, failures: number, retryInMs: number): Promise<void> {
    if (!options.onFailure) return
    const shown = options.onFailure(id, error, failures, retryInMs)
    await withDeadline(shown, limitMs, 'Storing the failure', clock).catch((second: unknown) => {
      log.error({ reconciler: name, id, err: second }, 'the failure of a look could not be stored')
    })
  }

  function scan(): Promise<void> {
    if (scanning !== null) scanAgain = true
    else cancelScan?.()
    scanning ??= scanOnce().finally(scanEnded)
    return scanning
  }

  function scanEnded(): void {
    scanning = null
    if (stopped) return
    if (scanAgain) {
      scanAgain = false
      scanInBackground()
    } else {
      cancelScan = clock.after(options.scanEveryMs, scanInBackground)
    }
  }

  const scanInBackground = () => inBackground(log, `the scan of reconciler ${name}`, scan())

  async function scanOnce(): Promise<void> {
    const noted = record.scanBegins()
    try {
      const ids = await withDeadline(
        options.within(options.scan),
        limitMs,
        `The scan of reconciler ${name}`,
        clock,
      )
      for (const id of ids) if (!workers.has(id)) kick(id)
      noted.ended(true)
    } catch (error) {
      noted.ended(false)
      record.failedWith(null, error)
      log.error({ reconciler: name, err: error }, 'the scan failed')
    }
  }

  return {
    kick,
    hurry,
    rescan: scanInBackground,
    retry() {
      for (const [id, { failures, working }] of workers) if (failures > 0 && !working) kick(id)
    },
    start: scan,
    async stop() {
      stopped = true
      cancelScan?.()
      for (const worker of workers.values()) worker.cancelTimer?.()
      queue.length = 0
      if (busy === 0) return
      const idle = new Promise<void>((resolve) => waiters.push(resolve))
      await withDeadline(idle, stopLimitMs, `Stopping reconciler ${name}`, clock).catch((error: unknown) =>
        log.warn({ reconciler: name, err: error }, 'a look was still under way at the end'),
      )
    },
    idle() {
      return busy === 0 && queue.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => waiters.push(resolve))
    },
    stats() {
      const failing = [...workers.values()].filter(({ failures }) => failures > 0)
      return {
        ...record.read(),
        queued: queue.length,
        failing: failing.length,
        failuresInARow: Math.max(0, ...failing.map(({ failures }) => failures)),
      }
    },
  }
}
