/** Makes snapshots, of VMs or of disks, what their users want: looks at one, asks the plan, does the one step. */
import type { Entry } from '../activity/entry.ts'
import { type Engine, EngineError, type SnapshotMade, type Work } from '../engine/engine.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Progress } from '../lib/progress.ts'
import type { Again } from '../lib/reconciler.ts'
import { type NamedSnapshot, snapshotGone, snapshotNews } from './snapshot.activity.ts'
import { planSnapshot, type SnapshotFacts } from './snapshot.plan.ts'

export interface SnapshotRecord extends NamedSnapshot {
  status: SnapshotFacts['status']
  expiresAt: string
}

/** What differs between snapshots of VMs and of disks. */
export interface SnapshotKind<R extends SnapshotRecord, Made extends SnapshotMade> {
  kind: 'machine' | 'volume'
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
  isInUse: (id: string) => Promise<boolean>
  announce: (record: R) => Promise<void>
  announceGone: (record: R) => void
}

export interface SnapshotReconcileOptions {
  engine: Engine
  progress: Progress
  clock: Clock
  /** Aborted when the server closes. */
  signal: AbortSignal
  log: Log
}

const turnPollMs = 1_000

export function makeSnapshotReconcile<R extends SnapshotRecord, Made extends SnapshotMade>(
  kind: SnapshotKind<R, Made>,
  { engine, progress, clock, signal, log }: SnapshotReconcileOptions,
) {
  const { repo } = kind

  const isExpired = (record: R) => record.expiresAt <= isoTime(clock.now())

  async function factsOf(record: R): Promise<SnapshotFacts> {
    const expired = isExpired(record)
    return { status: record.status, expired, inUse: expired && (await kind.isInUse(record.id)) }
  }

  async function look(id: string): Promise<Again> {
    const record = await repo.find(id)
    if (!record) return 'when-kicked'
    const seen = await engine.inspectSnapshot(kind.kind, id)
    // Nothing can be said about it now: the next try may be able to read it.
    if (seen.state === 'unreadable') throw new EngineError('internal', seen.reason, { retryable: true })
    const { state } = seen
    switch (planSnapshot(await factsOf(record), state)) {
      case 'rest':
        return 'when-kicked'
      case 'make':
        return make(record)
      case 'take-up':
        // To make what exists is a success, and tells what it is.
        if (state === 'whole') await finish(record, await kind.make(record, workOf(record)))
        else await fail(record, 'The server was stopped while this snapshot was being made. Take it again.')
        return 'now'
      case 'delete':
        await kind.delete(id, workOf(record))
        await repo.remove(id, snapshotGone(record, clock.now()))
        return 'when-kicked'
      case 'expire':
        await change(record, ['ready', 'failed', 'error'], { status: 'deleting' })
        kind.announceGone(record)
        return 'now'
      case 'lose':
        log.warn({ snapshot: id }, 'the files of a snapshot are lost or damaged')
        await store(record, ['ready'], {
          status: 'error',
          status_message: 'The data of this snapshot is missing or damaged on the host. Delete it.',
        })
        return 'now'
    }
  }

  type Change = Parameters<typeof repo.change>[3]

  function change(record: R, from: readonly SnapshotFacts['status'][], to: Change): Promise<R | null> {
    const now = clock.now()
    return repo.change(record.id, now, from, to, snapshotNews(record, to, now))
  }

  async function store(...args: Parameters<typeof change>): Promise<R | null> {
    const record = await change(...args)
    if (record) await kind.announce(record)
    return record
  }

  const workOf = (record: R): Work => ({
    signal,
    onProgress(fraction) {
      if (progress.set(record.id, fraction)) void kind.announce(record)
    },
  })

  async function make(record: R): Promise<Again> {
    const obstacle = await kind.obstacle(record)
    if (obstacle !== null) {
      await store(record, ['pending'], { status_message: obstacle })
      return { afterMs: turnPollMs }
    }
    const begun = await store(record, ['pending'], { status: 'creating', status_message: null })
    if (!begun) return 'now'
    try {
      await finish(begun, await kind.make(begun, workOf(begun)))
    } catch (error) {
      // The next server finds it begun.
      if (signal.aborted) throw error
      log.warn({ snapshot: record.id, err: error }, 'a snapshot could not be made')
      await fail(record, error instanceof EngineError ? error.message : 'The host could not make it.')
    } finally {
      progress.end(record.id)
    }
    return 'when-kicked'
  }

  const finish = (record: R, made: Made) =>
    store(record, ['creating'], { status: 'ready', status_message: null, made })

  async function fail(record: R, message: string): Promise<void> {
    // What was begun must not lie around for an object that nobody can use.
    await kind.delete(record.id, { signal, onProgress: () => {} })
    await store(record, ['pending', 'creating'], { status: 'failed', status_message: message })
  }

  /** What needs a look: everything that is not at rest, and snapshots whose files are gone. */
  async function scan(): Promise<string[]> {
    const [records, copies] = await Promise.all([repo.all(), engine.listSnapshots(kind.kind)])
    const present = new Set(copies)
    return records
      .filter((record) => {
        const facts = { status: record.status, expired: isExpired(record), inUse: false }
        return planSnapshot(facts, present.has(record.id) ? 'whole' : 'absent') !== 'rest'
      })
      .map(({ id }) => id)
  }

  return { look, scan }
}
