/**
 * Finds damage that no look sees: reads whole snapshots, with all that they build upon, as jobs beside the looks. One is
 * read when somebody could not use it, and before one that was damaged counts as ready again.
 */
import type { Engine, SnapshotState } from '../engine/engine.ts'
import { backoffMs } from '../lib/backoff.ts'
import type { Clock } from '../lib/clock.ts'
import type { Jobs } from '../lib/jobs.ts'
import type { Log } from '../lib/log.ts'
import type { SnapshotFacts, SnapshotStep } from './snapshot.plan.ts'

/** A snapshot as far as it is checked. */
interface Checked {
  id: string
  projectId: string | null
  /** The account whose project it is. */
  ownerId: string | null
  status: SnapshotFacts['status']
  snapshot: { name: string }
}

export interface SnapshotCheckOptions {
  kind: 'machine' | 'volume'
  /** Of the jobs. */
  type: string
  engine: Pick<Engine, 'checkSnapshot'>
  jobs: Jobs
  /** Asks for another look. */
  kick: (snapshotId: string) => void
  clock: Pick<Clock, 'monotonic'>
  log: Pick<Log, 'warn'>
}

/** What was found damaged is not read again for so long, unless somebody tries to use it. */
const damagedForMs = 10 * 60_000

const jobIdOf = (id: string): string => `check ${id}`

export function makeSnapshotChecks(options: SnapshotCheckOptions) {
  const { kind, type, engine, jobs, kick, clock, log } = options
  const suspects = new Set<string>()
  const damagedAt = new Map<string, number>()

  function start({ id, projectId, ownerId, snapshot }: Checked, delayMs: number): void {
    jobs.start<SnapshotState>({
      id: jobIdOf(id),
      kind: 'check',
      subject: { action: `${type}.check`, type, id, name: snapshot.name, projectId, ownerId },
      run: (work) => engine.checkSnapshot(kind, id, work),
      delayMs,
      onSettled: () => kick(id),
    })
  }

  const wasDamaged = (id: string): boolean =>
    !suspects.has(id) && clock.monotonic() - (damagedAt.get(id) ?? Number.NEGATIVE_INFINITY) < damagedForMs

  return {
    /** Somebody could not use a snapshot. */
    suspect(id: string): void {
      suspects.add(id)
      kick(id)
    },

    /** Whether more than a look has to tell how it is with a snapshot before that step. */
    isDue: ({ id, status }: Pick<Checked, 'id' | 'status'>, step: SnapshotStep): boolean =>
      status === 'error' ? step === 'found' : status === 'ready' && step === 'rest' && suspects.has(id),

    /** What is there of a snapshot, read to its end; null while it is being read, or was not long ago. */
    stateOf(record: Checked): SnapshotState | null {
      const jobId = jobIdOf(record.id)
      const outcome = jobs.peek<SnapshotState>(jobId)
      if (outcome?.ok) return outcome.value
      if (outcome) {
        log.warn({ snapshot: record.id, err: outcome.error }, 'a snapshot could not be checked')
        jobs.take(jobId)
        start(record, backoffMs(outcome.failures))
      } else if (!wasDamaged(record.id)) start(record, 0)
      return null
    },

    /** What was read has been stored. */
    settle(id: string, { state }: SnapshotState): void {
      suspects.delete(id)
      if (state === 'broken') damagedAt.set(id, clock.monotonic())
      else damagedAt.delete(id)
      jobs.forget(jobIdOf(id))
    },

    /** Nobody wants the snapshot any more. */
    end(id: string): void {
      suspects.delete(id)
      damagedAt.delete(id)
      jobs.abort(jobIdOf(id))
      jobs.forget(jobIdOf(id))
    },
  }
}
