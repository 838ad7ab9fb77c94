import { availableParallelism } from 'node:os'
import type { Config } from '../config.ts'
import { makeCapacityRepo } from '../health/capacity.repo.ts'
import { type BackupState, type MailHealth, makeHealthService } from '../health/health.service.ts'
import { makeVitals } from '../health/vitals.ts'
import type { BallastState } from '../lib/ballast.ts'
import type { Reconciler } from '../lib/reconciler.ts'
import { uncaughtErrors } from '../lib/uncaught.ts'
import type { MailFigures } from '../metrics/mail.figures.ts'
import { makeMetricsRepo } from '../metrics/metrics.repo.ts'
import { makeMetricsService } from '../metrics/metrics.service.ts'
import { makeUsageBook } from '../usage/usage.book.ts'
import { makeUsageSampler } from '../usage/usage.reconcile.ts'
import { makeUsageRepo } from '../usage/usage.repo.ts'
import { makeUsageService, type UsageServiceOptions } from '../usage/usage.service.ts'
import type { Load } from '../vm/vm.idle.ts'
import type { Base } from './base.ts'
import type { Queues } from './queues.ts'

/** What tells people how their VMs do, and the operator how the server does. */
export function makeWatching(
  base: Pick<Base, 'db' | 'engine' | 'clock' | 'clockGuard' | 'log' | 'drives' | 'underLease' | 'jobs'>,
  options: {
    config: Pick<Config, 'dataDir'>
    reconcilers: readonly Reconciler[]
    /** The server that drives, as it was seen last. */
    holder: () => string | null
    backups: (() => Promise<BackupState>) | null
    ballast: (() => BallastState) | null
    /** Whose usage may be seen. */
    own: UsageServiceOptions['own']
    /** How many people look at a console now. */
    viewers: Parameters<typeof makeMetricsService>[0]['viewers']
    /** What was sent to webhooks, and what waits. */
    webhookFigures: Parameters<typeof makeMetricsService>[0]['webhooks']
    /** How mails are doing. */
    mailFigures: () => Promise<MailFigures & MailHealth>
    /** How many objects left bins for want of room. */
    pushedOut: Parameters<typeof makeMetricsService>[0]['pushedOut']
    queues: Queues
  },
) {
  const { db, engine, clock, clockGuard, log, drives, underLease, jobs } = base
  const { config, reconcilers } = options
  const usageRepo = makeUsageRepo(db)
  const usageBook = makeUsageBook()
  const sampler = makeUsageSampler({
    repo: usageRepo,
    book: usageBook,
    engine,
    clock,
    clockGuard,
    drives,
    underLease,
    log,
  })
  const usage = makeUsageService({
    repo: usageRepo,
    book: usageBook,
    living: sampler.living,
    clock,
    own: options.own,
  })
  const vitals = makeVitals(config.dataDir)
  const capacity = makeCapacityRepo(db)
  const health = makeHealthService({
    driver: () => ({ isThisServer: drives(), server: options.holder() }),
    reconcilers: () => (drives() ? reconcilers.map((reconciler) => reconciler.stats()) : []),
    measuring: sampler.stats,
    vitals: vitals.read,
    uncaughtErrors,
    clockProblem: clockGuard.problem,
    backups: options.backups,
    ballast: options.ballast,
    mails: options.mailFigures,
    engine: {
      kind: engine.kind,
      accelerator: engine.capabilities.accelerator,
      // Cheap on every engine, and fails while it cannot be reached; the figure itself is shown nowhere.
      answer: () => engine.freeMemoryMb(),
      undecided: () => engine.capabilities.undecided,
    },
    capacity: {
      repo: capacity,
      diskSamples: vitals.diskSamples,
      freeMemoryMb: () => engine.freeMemoryMb(),
      reserve: () => engine.reserve?.held() ?? null,
      processors: availableParallelism,
    },
    clock,
  })
  const metrics = makeMetricsService({
    repo: makeMetricsRepo(db),
    inBins: capacity.inBins,
    pushedOut: options.pushedOut,
    readings: sampler.readings,
    viewers: options.viewers,
    webhooks: options.webhookFigures,
    mails: options.mailFigures,
    queues: () => [
      ...Object.entries(options.queues).map(([kind, queue]) => ({ kind, ...queue.figures() })),
      ...Object.entries(jobs.figures()).map(([kind, figures]) => ({ kind: `job_${kind}`, ...figures })),
    ],
    health: health.read,
    engine: engine.kind,
  })
  /** What VMs did since a moment, of those that were measured. */
  function loadsSince(then: number): Map<string, Load> {
    const both = (one: number | null, other: number | null) =>
      one === null && other === null ? null : (one ?? 0) + (other ?? 0)
    return new Map(
      usageBook.meansSince(then).map(([{ vmId }, used]) => [
        vmId,
        {
          cpu: used.cpu,
          network: both(used.netIn, used.netOut),
          disk: both(used.diskRead, used.diskWrite),
        },
      ]),
    )
  }
  return { sampler, usage, vitals, health, metrics, loadsSince }
}
