import { type Capacity, type Health, healthTexts, type Me, type ReconcilerHealth } from '@slipway/contract'
import type { BallastState } from '../lib/ballast.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import { withDeadline } from '../lib/deadline.ts'
import { Problem } from '../lib/problem.ts'
import type { ReconcilerStats } from '../lib/reconciler.record.ts'
import { type DiskSample, forecast } from './capacity.plan.ts'
import type { CapacityRepo } from './capacity.repo.ts'
import { backupProblems, problemsOf } from './health.plan.ts'
import type { Vitals } from './vitals.ts'

export interface HealthServiceOptions {
  driver: () => { isThisServer: boolean; server: string | null }
  /** Those that are at work; none at a server that does not drive. */
  reconcilers: () => ReconcilerStats[]
  /** The last measurement of what VMs use. */
  measuring: () => { at: number | null; ms: number | null; failuresInARow: number }
  vitals: () => Promise<Vitals>
  /** How backups outside the host are doing; null where none are configured. */
  backups: (() => Promise<BackupState>) | null
  /** The room that is kept for the way out of a full disk; null where none is. */
  ballast: (() => BallastState) | null
  mails: () => Promise<MailHealth>
  uncaughtErrors: () => number
  /** What is wrong with the clock of the host, as a sentence; null for nothing. */
  clockProblem: () => string | null
  engine: {
    kind: string
    accelerator: string | null
    answer: () => Promise<unknown>
    /** What it has not found out about its host yet, in sentences; null for nothing. */
    undecided: () => string | null
  }
  capacity: {
    repo: CapacityRepo
    /** What the disk was used, oldest first. */
    diskSamples: () => readonly DiskSample[]
    freeMemoryMb: () => Promise<number | null>
    /** Guests that are kept ready; null where none ever is. */
    reserve: () => { guests: number; memoryMb: number } | null
    processors: () => number
  }
  clock: Clock
}

export type BackupState = NonNullable<Health['backups']> & { too_old_ms: number | null }

/** How mails are doing; what failed is of the last day. */
export interface MailHealth {
  waiting: number
  failed: number
  oldestAt: string | null
  lastFailure: string | null
}

export type HealthService = ReturnType<typeof makeHealthService>

const engineLimitMs = 5_000
const timeOrNull = (at: number | null | undefined) => (at === null || at === undefined ? null : isoTime(at))
const bytesOf = (sizes: { disks: number; vmSnapshots: number; diskSnapshots: number }) => ({
  disks_bytes: sizes.disks,
  vm_snapshots_bytes: sizes.vmSnapshots,
  disk_snapshots_bytes: sizes.diskSnapshots,
})
const inMb = (bytes: number) => Math.ceil(bytes / 1024 ** 2)
const wholeOrNull = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : Math.round(ms)

export function makeHealthService(options: HealthServiceOptions) {
  const { engine, clock } = options

  async function answerMs(): Promise<number | null> {
    const began = performance.now()
    try {
      await withDeadline(engine.answer(), engineLimitMs, 'The engine', clock)
      return Math.round(performance.now() - began)
    } catch {
      return null
    }
  }

  /** The figures as they are now, and what is wrong by them. */
  async function read(): Promise<Health> {
    const [vitals, answer, backups, mails] = await Promise.all([
      options.vitals(),
      answerMs(),
      options.backups?.() ?? null,
      options.mails(),
    ])
    const measuring = options.measuring()
    const ballast = options.ballast?.() ?? null
    const { isThisServer, server } = options.driver()
    const figures = {
      driver: { is_this_server: isThisServer, server },
      reconcilers: options.reconcilers().map(reconcilerHealth),
      measuring: {
        last_at: timeOrNull(measuring.at),
        last_ms: wholeOrNull(measuring.ms),
        failures_in_a_row: measuring.failuresInARow,
      },
      process: {
        started_at: isoTime(vitals.startedAt),
        event_loop_delay_ms: Math.round(vitals.delay.p99Ms),
        event_loop_delay_max_ms: Math.round(vitals.delay.maxMs),
        memory_mb: Math.round(vitals.memoryMb),
        open_files: vitals.openFiles,
        open_files_limit: vitals.openFilesLimit,
        uncaught_errors: options.uncaughtErrors(),
      },
      data_directory: vitals.disk && {
        free_mb: Math.floor(vitals.disk.freeMb),
        size_mb: Math.floor(vitals.disk.sizeMb),
      },
      ballast: ballast && {
        size_mb: inMb(ballast.sizeBytes),
        missing_mb: inMb(ballast.missingBytes),
        needed_mb: inMb(ballast.neededBytes),
      },
      engine: { kind: engine.kind, accelerator: engine.accelerator, answer_ms: answer },
      backups: backups && withoutAge(backups),
      mails: {
        waiting: mails.waiting,
        oldest_waiting_at: mails.oldestAt,
        failed: mails.failed,
        last_failure: mails.lastFailure,
      },
    }
    const told = [options.clockProblem(), engine.undecided()].filter((problem) => problem !== null)
    const problems = [
      ...told,
      ...problemsOf(figures, clock.now()),
      ...(backups ? backupProblems(backups, clock.now()) : []),
    ]
    return { status: problems.length === 0 ? 'ok' : 'degraded', problems, ...figures }
  }

  const requireAdmin = ({ is_admin }: Me): void => {
    if (!is_admin) throw new Problem(403, healthTexts.refused)
  }

  return {
    read,

    /** What the host has and what takes it. Throws a 403 for everybody but administrators. */
    async capacity(user: Me): Promise<Capacity> {
      requireAdmin(user)
      const { repo, diskSamples, freeMemoryMb, processors } = options.capacity
      const [{ disk }, free, given, stored, inBins] = await Promise.all([
        options.vitals(),
        withDeadline(freeMemoryMb(), engineLimitMs, 'The engine', clock).catch(() => null),
        repo.given(),
        repo.stored(),
        repo.inBins(),
      ])
      const reserve = options.capacity.reserve()
      const rate = disk && forecast(diskSamples(), disk.freeMb, Date.now())
      return {
        free_memory_mb: free,
        reserve: reserve && { guests: reserve.guests, memory_mb: reserve.memoryMb },
        processors: processors(),
        ...given,
        disk: disk && {
          free_mb: Math.floor(disk.freeMb),
          size_mb: Math.floor(disk.sizeMb),
          growth_mb_per_day: rate?.mbPerDay ?? null,
          full_at: timeOrNull(rate?.fullAt),
        },
        stored: bytesOf(stored),
        in_bins: { vms: inBins.vms, ...bytesOf(inBins) },
      }
    },
    /** For administrators; throws a 403 for everybody else. */
    async ofServer(user: Me): Promise<Health> {
      requireAdmin(user)
      return read()
    },
  }
}

const withoutAge = ({ too_old_ms: _, ...shown }: BackupState): NonNullable<Health['backups']> => shown

const reconcilerHealth = (stats: ReconcilerStats): ReconcilerHealth => ({
  name: stats.name,
  last_scan_at: timeOrNull(stats.lastScan?.at),
  last_scan_ms: wholeOrNull(stats.lastScan?.ms),
  scans_failed_in_a_row: stats.scansFailedInARow,
  last_look_at: timeOrNull(stats.lastLook?.at),
  last_look_ms: wholeOrNull(stats.lastLook?.ms),
  longest_look_ms: Math.round(stats.longestMs),
  oldest_look_ms: wholeOrNull(stats.oldestMs),
  working: stats.working,
  queued: stats.queued,
  failing: stats.failing,
  failures_in_a_row: stats.failuresInARow,
  looks: stats.looks,
  failed: stats.failed,
  abandoned: stats.abandoned,
  abandoned_under_way: stats.abandonedUnderWay,
  last_failure: stats.lastFailure && {
    at: isoTime(stats.lastFailure.at),
    id: stats.lastFailure.id,
    message: stats.lastFailure.message,
  },
})
