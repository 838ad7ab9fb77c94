import type { Limits } from '@slipway/contract'
import type { FastifyBaseLogger } from 'fastify'
import type { Db } from '../db/open.ts'
import type { Engine } from '../engine/engine.ts'
import type { EventBus } from '../event/event.bus.ts'
import type { Clock } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import type { JobBoard } from '../lib/job-board.ts'
import type { Jobs } from '../lib/jobs.ts'
import type { Uses } from '../lib/uses.ts'
import type { Calls } from './calls.ts'

/** What VMs, disks and groups all stand on. */
export interface Base {
  db: Db
  engine: Engine
  /** What it cannot do, as the contract's rules ask. */
  cannot: Limits
  clock: Clock
  log: FastifyBaseLogger
  bus: EventBus
  /** Everything that deletes data for its age asks it first. */
  clockGuard: ClockGuard
  /** Long work beside the reconcilers of this server. */
  jobs: Jobs
  /** Long work of whichever server drives. */
  board: JobBoard
  /** Whether this server drives: of all servers of an installation one makes wishes true. */
  drives: () => boolean
  /** Does something under this server's lease: it writes nothing any more once another server drives. */
  underLease: <T>(act: () => T) => T
  calls: Calls & { connect: (answers: Partial<Calls>) => void }
  /** Who is connected to which VM through this server. */
  uses: Uses
}

/** How the reconcilers work: how often they look at everything, and at how many objects at once. */
export const rhythm = { scanEveryMs: 30_000, parallel: 16 }
