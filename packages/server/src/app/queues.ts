import { diskTexts, queueTexts, uploadTexts } from '@slipway/contract'
import type { Config } from '../config.ts'
import type { Clock } from '../lib/clock.ts'
import { type FairQueue, makeFairQueue, type Places } from '../lib/fair-queue.ts'
import { refuseForNow } from '../lib/problem.ts'

/** What people do through this server that is shared out by account. */
export type QueueKind = 'calls' | 'exports' | 'uploads' | 'downloads' | 'image_checks'

export type Queues = Record<QueueKind, FairQueue>

/** What an account may have at once. */
export type AccountShares = Config['perAccount']

/**
 * The places of this server. Each server of an installation has its own, so an account has more of them where several
 * answer; what they do to the one database is bounded all the same. Long work on the engine is in `lib/jobs.ts`, at the one
 * server that drives.
 */
export function makeQueues(shares: AccountShares, clock: Clock): Queues {
  const queue = (places: Places, waiting: { ofOneKey: number; forMs: number }, refusal: string, s: number) =>
    makeFairQueue(places, {
      ...waiting,
      clock,
      refusal: (isOwn) => (isOwn ? refuseForNow(429, refusal, s) : refuseForNow(503, queueTexts.others, s)),
    })
  return {
    // A console with many tabs, or a program that does ten things at once, waits a moment and never sees a refusal.
    calls: queue(
      { inAll: 256, ofOneKey: shares.calls },
      { ofOneKey: 100, forMs: 10_000 },
      queueTexts.calls,
      2,
    ),
    exports: queue({ inAll: 8, ofOneKey: 1 }, { ofOneKey: 1, forMs: 5_000 }, queueTexts.exports, 10),
    // Each holds a connection and a file.
    uploads: queue(
      { inAll: 64, ofOneKey: shares.uploads },
      { ofOneKey: shares.uploads, forMs: 5_000 },
      uploadTexts.manyPieces,
      2,
    ),
    // Each reads a whole disk.
    downloads: queue(
      { inAll: 24, ofOneKey: shares.downloads },
      { ofOneKey: 1, forMs: 5_000 },
      diskTexts.manyDownloads,
      60,
    ),
    // Each may wait for a server that answers slowly.
    image_checks: queue(
      { inAll: 48, ofOneKey: 3 },
      { ofOneKey: 3, forMs: 5_000 },
      queueTexts.imageChecks,
      10,
    ),
  }
}
