/**
 * Makes snapshots, of VMs or of disks, what their users want: looks at one, asks the plan, does the one step. Copies and
 * merges are jobs beside the looks; a look starts them, or stores what came of them.
 */
import type { Entry } from '../activity/entry.ts'
import {
  type Engine,
  EngineError,
  type SnapshotMade,
  type SnapshotState,
  type Work,
} from '../engine/engine.ts'
import { backoffMs } from '../lib/backoff.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { ClockGuard } from '../lib/clock-guard.ts'
import { inBackground } from '../lib/in-background.ts'
import { JobAborted, type JobKind, type JobOutcome, type Jobs, type JobWork } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { Again } from '../lib/reconciler.ts'
import { isDiskFull } from '../lib/way-out.ts'
import { type NamedSnapshot, snapshotGone, snapshotNews } from './snapshot.activity.ts'
import { makeSnapshotChecks } from './snapshot.checks.ts'
import {
  planSnapshot,
  type SnapshotCopy,
  type SnapshotFacts,
  type SnapshotStep,
  type SnapshotWork,
} from './snapshot.plan.ts'

export interface SnapshotRecord extends NamedSnapshot {
  status: SnapshotFacts['status']
  statusMessage: string | null
  /** Whether it is in the bin. */
  isKept: boolean
  /** Its project is in the bin: it does not expire. */
  rests: boolean
  /** The account whose project it is. */
  ownerId: string | null
  expiresAt: string
}

/** What differs between snapshots of VMs and of disks. */
export interface SnapshotKind<R extends SnapshotRecord, Made extends SnapshotMade> {
  kind: 'machine' | 'volume'
  /** What the jobs are called. */
  words: { type: string; create: string; delete: string }
  repo: {
    find: (id: string) => Promise<R | null>
    all: () => Promise<R[]>
    /** Changes a snapshot that still has one of these statuses, and records it; null when it has not. */
    change: (
      id: string,
      nowMs: number,
      from: readonly SnapshotFacts['status'][],
      change: { status?: SnapshotFacts['status']; status_message?: string | null; made?: Made },
      entry: Entry | null,
    ) => Promise<R | null>
    remove: (id: string, entry: Entry) => Promise<void>
  }
  /** What it has to wait for, as a sentence; null when it is its turn. */
  obstacle: (record: R) => Promise<string | null>
  make: (record: R, work: Work) => Promise<Made>
  delete: (id: string, work: Work) => Promise<void>
  /** Whether deleting it copies data: others build upon it. */
  isMerge: (id: string) => Promise<boolean>
  isInUse: (id: string) => Promise<boolean>
  /** Stores the wish to delete one that has expired, unless it is in use by now. */
  expire: (record: R) => Promise<void>
  announce: (record: R) => Promise<void>
  announceGone: (record: R) => void
}

export interface SnapshotReconcileOptions {
  engine: Engine
  jobs: Jobs
  /** Asks for another look. */
  kick: (snapshotId: string) => void
  clock: Clock
  /** Nothing expires while the clock is not believed. */
  clockGuard: Pick<ClockGuard, 'isTrusted'>
  log: Log
}

const turnPollMs = 1_000

/** How often a snapshot is looked at that cannot be read. */
const waitMs = 60_000

type Failure = Extract<JobOutcome<unknown>, { ok: false }>

export function makeSnapshotReconcile<R extends SnapshotRecord, Made extends SnapshotMade>(
  kind: SnapshotKind<R, Made>,
  { engine, jobs, kick, clock, clockGuard, log }: SnapshotReconcileOptions,
) {
  const { repo, words } = kind
  const checks = makeSnapshotChecks({
    kind: kind.kind,
    type: words.type,
    engine,
    jobs,
    kick,
    clock,
    log,
  })

  const isExpired = (record: R) =>
    !record.rests && record.expiresAt <= isoTime(clock.now()) && clockGuard.isTrusted()

  function workOn(id: string): SnapshotWork {
    const job = jobs.find(id)
    if (!job) return 'none'
    const settled = job.state === 'settled'
    if (job.subject.action === words.delete) return settled ? 'deleted' : 'deleting'
    return settled ? 'made' : 'making'
  }

  async function factsOf(record: R): Promise<SnapshotFacts> {
    const expired = isExpired(record)
    return {
      status: record.status,
      isKept: record.isKept,
      expired,
      inUse: expired && (await kind.isInUse(record.id)),
      troubled: record.statusMessage !== null,
    }
  }

  async function look(id: string): Promise<Again> {
    const record = await repo.find(id)
    if (!record) {
      jobs.forget(id)
      checks.end(id)
      return 'when-kicked'
    }
    if (record.status === 'deleting') checks.end(id)
    const facts = await factsOf(record)
    const seen = await engine.inspectSnapshot(kind.kind, id)
    const step = planSnapshot(facts, seen.state, workOn(id))
    if (!checks.isDue(record, step)) return act(record, step, seen)
    const read = checks.stateOf(record)
    if (read === null) return 'when-kicked'
    const again = await act(record, planSnapshot(facts, read.state, workOn(id)), read)
    checks.settle(id, read)
    return again
  }

  async function act(record: R, step: SnapshotStep, seen: SnapshotState): Promise<Again> {
    const { id } = record
    switch (step) {
      case 'rest':
        return 'when-kicked'
      case 'make':
        return make(record)
      case 'take':
        return take(record)
      case 'take-up':
        return takeUp(record, seen.state)
      case 'abort':
        jobs.abort(id)
        return 'when-kicked'
      case 'delete':
        return remove(record)
      case 'take-deletion':
        return takeDeletion(record)
      case 'clear':
        await clear(id)
        jobs.forget(id)
        return 'when-kicked'
      case 'expire':
        await kind.expire(record)
        return 'now'
      case 'lose':
        log.warn({ snapshot: id }, 'the files of a snapshot are lost or damaged')
        await store(record, ['ready'], { status: 'error', status_message: lostMessage })
        return 'now'
      case 'found':
        await store(record, ['ready', 'error'], { status: 'ready', status_message: null })
        return 'now'
      case 'wait':
        return wait(record, seen)
    }
  }

  type Change = Parameters<typeof repo.change>[3]

  function change(record: R, from: readonly SnapshotFacts['status'][], to: Change): Promise<R | null> {
    const now = clock.now()
    // A message alone is no news.
    const isNew = to.status !== record.status
    return repo.change(record.id, now, from, to, isNew ? snapshotNews(record, to, now) : null)
  }

  async function store(...args: Parameters<typeof change>): Promise<R | null> {
    const record = await change(...args)
    if (record) await kind.announce(record)
    return record
  }

  async function say(record: R, message: string): Promise<void> {
    if (record.statusMessage !== message)
      await store(record, ['pending', 'creating', 'ready', 'error'], { status_message: message })
  }

  async function wait(record: R, seen: SnapshotState): Promise<Again> {
    const reason = seen.state === 'unreadable' ? seen.reason : ''
    await say(
      record,
      `The data of this snapshot cannot be read at the moment. ${reason} Slipway tries again every minute.`,
    )
    return { afterMs: waitMs }
  }

  function start<T>(
    record: R,
    action: string,
    pool: JobKind,
    run: (work: JobWork) => Promise<T>,
    delayMs = 0,
  ): void {
    const { id, projectId, ownerId } = record
    jobs.start<T>({
      id,
      kind: pool,
      subject: { action, type: words.type, id, name: record.snapshot.name, projectId, ownerId },
      run,
      delayMs,
      onProgress: () => inBackground(log, 'telling how far a snapshot is', tellOf(id)),
      onSettled: () => kick(id),
    })
  }

  async function tellOf(id: string): Promise<void> {
    const record = await repo.find(id)
    if (record) await kind.announce(record)
  }

  async function make(record: R): Promise<Again> {
    const obstacle = await kind.obstacle(record)
    if (obstacle !== null) {
      await say(record, obstacle)
      return { afterMs: turnPollMs }
    }
    start<Made>(record, words.create, 'copy', async function makeSnapshot(work) {
      // Only now: what is `creating` was begun, and is not begun again by another server, whose moment is another.
      const begun = await store(record, ['pending'], { status: 'creating', status_message: null })
      if (!begun) throw new JobAborted()
      return kind.make(begun, work)
    })
    return 'when-kicked'
  }

  async function takeUp(record: R, copy: SnapshotCopy): Promise<Again> {
    if (copy !== 'whole') {
      await fail(record, 'The server stopped while this snapshot was being created. Create it again.')
      return 'now'
    }
    // To make what exists is a success, and tells what it is.
    start<Made>(record, words.create, 'quick', (work) => kind.make(record, work))
    return 'when-kicked'
  }

  async function take(record: R): Promise<Again> {
    // Kept until it is stored: when that fails, the next look finds it again.
    const outcome = jobs.peek<Made>(record.id)
    if (!outcome) return 'now'
    if (outcome.ok) {
      const made = outcome.value
      await store(record, ['creating'], { status: 'ready', status_message: null, made })
    } else {
      log.warn({ snapshot: record.id, err: outcome.error }, 'a snapshot could not be made')
      await fail(record, messageOf(outcome.error))
    }
    jobs.forget(record.id)
    return 'now'
  }

  async function remove(record: R, delayMs = 0): Promise<Again> {
    const pool = (await kind.isMerge(record.id)) ? 'copy' : 'quick'
    // Of a creation that nobody wants any more, or of a try that failed.
    jobs.take(record.id)
    start(record, words.delete, pool, (work) => kind.delete(record.id, work), delayMs)
    return 'when-kicked'
  }

  async function takeDeletion(record: R): Promise<Again> {
    const outcome = jobs.peek(record.id)
    if (!outcome) return 'now'
    if (!outcome.ok) return retryDeletion(record, outcome)
    await repo.remove(record.id, snapshotGone(record, clock.now()))
    jobs.forget(record.id)
    return 'when-kicked'
  }

  function retryDeletion(record: R, { error, failures }: Failure): Promise<Again> {
    const retryInMs = backoffMs(failures)
    log.warn({ snapshot: record.id, failures, retryInMs, err: error }, 'a snapshot could not be deleted')
    return remove(record, retryInMs)
  }

  /** Removes what a creation left that nobody can use. */
  const clear = (id: string) =>
    kind.delete(id, { signal: new AbortController().signal, onProgress: () => {} })

  async function fail(record: R, message: string): Promise<void> {
    await clear(record.id)
    await store(record, ['pending', 'creating'], { status: 'failed', status_message: message })
  }

  /** What needs a look: everything that is not at rest, and snapshots whose files are gone or are there again. */
  async function scan(): Promise<string[]> {
    const [records, copies] = await Promise.all([repo.all(), engine.listSnapshots(kind.kind)])
    const present = new Set(copies)
    return records
      .filter((record) => {
        const facts = {
          status: record.status,
          isKept: record.isKept,
          expired: isExpired(record),
          inUse: false,
          troubled: record.statusMessage !== null,
        }
        return planSnapshot(facts, present.has(record.id) ? 'whole' : 'absent', workOn(record.id)) !== 'rest'
      })
      .map(({ id }) => id)
  }

  return { look, scan, suspect: checks.suspect }
}

const lostMessage = 'The data of this snapshot is missing or damaged on the host. Delete it.'

function messageOf(error: unknown): string {
  if (error instanceof EngineError) return error.message
  return isDiskFull(error) ? 'The server has no disk space left.' : 'The host could not create the snapshot.'
}
