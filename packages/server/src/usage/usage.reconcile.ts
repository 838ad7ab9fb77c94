/** Measures what living guests use: every ten seconds into the book, every five minutes their mean into the database. */
import type { Engine, MachineUsage } from '../engine/engine.ts'
import type { Clock } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import { withDeadline } from '../lib/deadline.ts'
import type { Log } from '../lib/log.ts'
import { everyMs, keptMs, type Owner, spanMs, type UsageBook, type Used } from './usage.book.ts'
import type { UsageRepo } from './usage.repo.ts'

/** What was read of a machine at one look, and what it had used since the one before. */
export type Reading = MachineUsage & { at: number; used: Used | null }

/** The last look: when it ended (milliseconds since the epoch), how long it took, and failures in a row. */
export interface SamplerStats {
  at: number | null
  ms: number | null
  failuresInARow: number
}

export interface UsageSamplerOptions {
  repo: Pick<UsageRepo, 'living' | 'insert' | 'forgetBefore'>
  book: UsageBook
  engine: Pick<Engine, 'usage'>
  clock: Clock
  /** Nothing is forgotten by its age while the clock is not believed. */
  clockGuard: Pick<ClockGuard, 'isTrusted'>
  /** Every server measures, so that each can show it; the one that drives stores it, under its lease. */
  drives: () => boolean
  underLease: <T>(act: () => T) => T
  log: Log
}

/** How long one look may take. An engine gives up on a single guest sooner than that. */
const limitMs = 30_000

export function makeUsageSampler(options: UsageSamplerOptions) {
  const { repo, book, engine, clock, clockGuard, drives, underLease, log } = options
  let readings: ReadonlyMap<string, Reading> = new Map()
  let living: readonly Owner[] = []
  let spanBegan = clock.now()
  let cancel: (() => void) | null = null
  let stopped = false
  let working: Promise<void> = Promise.resolve()
  /** Counts looks: one that was given up and ends later must not change anything. */
  let looks = 0
  let last: SamplerStats = { at: null, ms: null, failuresInARow: 0 }

  async function look(): Promise<void> {
    looks += 1
    const own = looks
    const [owners, usage] = await Promise.all([repo.living(), engine.usage('everything')])
    if (own !== looks) return
    const now = clock.now()
    const measured: [Owner, Used][] = []
    const next = new Map<string, Reading>()
    for (const owner of owners) {
      const one = usage.get(owner.vmId)
      if (!one) continue
      const reading: Reading = { ...one, at: now, used: null }
      reading.used = usedSince(readings.get(owner.vmId), reading, owner.processors)
      next.set(owner.vmId, reading)
      if (reading.used) measured.push([owner, reading.used])
    }
    readings = next
    living = owners
    book.add(now, measured)
    // A span that began in the future: the clock was set back.
    if (now >= spanBegan + spanMs || now < spanBegan) await closeSpan(now)
  }

  async function closeSpan(now: number): Promise<void> {
    const ended = book.meansSince(spanBegan)
    spanBegan = now
    if (!drives()) return
    if (ended.length > 0) await underLease(() => repo.insert(now, ended))
    if (clockGuard.isTrusted()) await underLease(() => repo.forgetBefore(now - keptMs))
  }

  /** Never rejects. Without a limit, one guest that does not answer would end the measuring of all. */
  async function lookInTime(): Promise<void> {
    const began = performance.now()
    let failuresInARow = 0
    try {
      await withDeadline(look(), limitMs, 'Measuring what VMs use', clock)
    } catch (error) {
      failuresInARow = last.failuresInARow + 1
      log.error({ err: error }, 'VMs could not be measured')
    }
    last = { at: clock.now(), ms: performance.now() - began, failuresInARow }
    next()
  }

  function next(): void {
    if (stopped) return
    cancel = clock.after(everyMs, () => {
      working = lookInTime()
    })
  }

  return {
    start: next,
    /** The VMs that ran at the last look. */
    living: () => living,
    /** What was read at the last look, counted from the beginning of each run. */
    readings: () => readings,
    /** When the last look ended, and how. */
    stats: () => last,
    /** Resolves when the look under way has ended; for tests. */
    idle: () => working,
    async stop() {
      stopped = true
      cancel?.()
      await working
    },
  }
}

/** Bytes a second between two counts. */
const rate = (ms: number, from: number | undefined, to: number | undefined) =>
  from === undefined || to === undefined ? null : (Math.max(0, to - from) / ms) * 1000

/**
 * What was used between two readings; null when they are not of one run. A guest is asked for its network more
 * rarely: until it has told again, what it last told goes on.
 */
export function usedSince(before: Reading | undefined, now: Reading, processors: number): Used | null {
  if (!before || before.run !== now.run || now.at <= before.at) return null
  const ms = now.at - before.at
  const [then, told] = [before.network, now.network]
  const netMs = told && then ? told.at - then.at : 0
  return {
    cpu: Math.min(100, (Math.max(0, now.cpuMs - before.cpuMs) / ms / processors) * 100),
    memoryMb: now.memoryMb,
    diskRead: rate(ms, before.disk?.read, now.disk?.read),
    diskWrite: rate(ms, before.disk?.written, now.disk?.written),
    netIn: netMs > 0 ? rate(netMs, then?.received, told?.received) : told && (before.used?.netIn ?? null),
    netOut: netMs > 0 ? rate(netMs, then?.sent, told?.sent) : told && (before.used?.netOut ?? null),
  }
}
