import {
  type EndpointId,
  operationTexts,
  type SnapshotRhythm,
  snapshotCan,
  waitingText,
} from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import type { Tx } from '../db/open.ts'
import type { Clock } from '../lib/clock.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, require409 } from '../lib/problem.ts'
import {
  creationCancelled,
  deletionAsked,
  type NamedSnapshot,
  snapshotNews,
  supersededBySchedule,
} from './snapshot.activity.ts'

/** A snapshot as it goes over the wire, of a VM or of a disk. */
interface Wire {
  id: string
  project_id: string
  progress: number | null
  status: string
}

const deleting = { status: 'deleting' } as const

type Status = 'pending' | 'creating' | 'ready' | 'deleting' | 'failed' | 'error'

/** A stored one. */
interface Stored<W extends Wire> {
  id: string
  status: Status
  /** Null once the project is gone; only the wish to delete it is left then. */
  projectId: string | null
  snapshot: Omit<W, 'project_id' | 'progress'>
}

/** A snapshot that the schedule of a VM or disk wants. */
export interface ScheduledSnapshot {
  name: string
  /** A type of snapshots of that kind. */
  type: string
  scheduleId: string
  rhythm: SnapshotRhythm
  /** In the transaction that stores it; may throw. */
  given: (tx: Tx, snapshotId: string) => Promise<void>
}

export interface SnapshotAccessOptions<W extends Wire, R extends Stored<W> & NamedSnapshot> {
  repo: {
    find: (id: string) => Promise<R | null>
    findAll: (ids: readonly string[]) => Promise<R[]>
    list: (projectId: string) => Promise<R[]>
    change: (
      id: string,
      nowMs: number,
      from: readonly Status[],
      change: { status: Status; status_message?: string | null },
      entry: Entry | null,
      given?: (tx: Tx) => Promise<boolean>,
    ) => Promise<R | null>
  }
  kick: (snapshotId: string) => void
  /** Tells whoever listens that a snapshot changed, or is gone. */
  changed: (projectId: string, id: string) => void
  /** Where snapshots are made. */
  jobs: Pick<JobBoard, 'find' | 'abort'>
  clock: Clock
  texts: { notFound: string; inUse: string }
  /** Whether somebody needs it as it is; asked in the transaction that decides upon it. */
  isInUse: (record: R, tx: Tx) => Promise<boolean>
}

/** What the services of snapshots, of VMs and of disks, have in common: whose they are, who is told, how they end. */
export function makeSnapshotAccess<W extends Wire, R extends Stored<W> & NamedSnapshot>(
  options: SnapshotAccessOptions<W, R>,
) {
  const { repo, kick, changed, jobs, clock, texts, isInUse } = options
  type Present = R & { projectId: string }

  const isPresent = (record: R | null, projectId: string | null): record is Present =>
    record !== null && projectId !== null && record.projectId === projectId && record.status !== 'deleting'

  function wire({ snapshot, projectId, status, id }: Present): W {
    const job = status === 'creating' || status === 'pending' ? jobs.find(id) : null
    const waiting = job?.waitsFor ? waitingText(job.kind, job.waitsFor) : null
    // The parts make up W, which the compiler cannot see while W is open.
    return {
      ...snapshot,
      ...(waiting !== null && { status_message: waiting }),
      project_id: projectId,
      progress: status === 'creating' ? (job?.progress ?? null) : null,
    } as unknown as W
  }

  async function find(projectId: string, id: string): Promise<Present> {
    const record = await repo.find(id)
    if (!isPresent(record, projectId)) throw new Problem(404, texts.notFound)
    return record
  }

  async function announce(record: R): Promise<void> {
    if (isPresent(record, record.projectId)) changed(record.projectId, record.id)
  }

  function announceGone({ projectId, id }: R): void {
    if (projectId !== null) changed(projectId, id)
  }

  /** Null when somebody needs the snapshot, or it is going already. */
  function wishDeleted(record: R, entry: Entry | null, now: number): Promise<R | null> {
    const isFree = async (tx: Tx) => !(await isInUse(record, tx))
    return repo.change(record.id, now, ['ready', 'failed', 'error'], deleting, entry, isFree)
  }

  return {
    find,
    announce,
    announceGone,

    /** Snapshots that are not deleted, for the event bus. */
    async read(ids: readonly string[]): Promise<W[]> {
      return (await repo.findAll(ids)).flatMap((record) =>
        isPresent(record, record.projectId) ? [wire(record)] : [],
      )
    },

    async announceById(id: string): Promise<void> {
      const record = await repo.find(id)
      if (record) await announce(record)
    },

    /** Oldest first. */
    async list(projectId: string): Promise<W[]> {
      return (await repo.list(projectId)).map((record) => wire({ ...record, projectId }))
    },

    /** Wakes the reconciler for one that was just stored, and tells everybody. */
    async begin(projectId: string, id: string): Promise<W> {
      const record = await find(projectId, id)
      kick(id)
      await announce(record)
      return wire(record)
    },

    /**
     * Ends the creation of a snapshot, which becomes `failed`; false when it is not being made any more. The caller has
     * checked who asks. Stored at once, so that it holds over a restart; the reconciler removes what there is.
     */
    async cancelCreation(userId: string, id: string, action: EndpointId): Promise<boolean> {
      const record = await repo.find(id)
      if (!record) return false
      const now = clock.now()
      const failed = { status: 'failed', status_message: operationTexts.cancelled } as const
      const wished = creationCancelled(record, userId, action, now)
      const changed = await repo.change(id, now, ['pending', 'creating'], failed, wished)
      if (!changed) return false
      jobs.abort(id)
      kick(id)
      await announce(changed)
      return true
    },

    /** For its reconciler: wishes one deleted that has expired, unless it is in use by now. */
    async expire(record: R): Promise<void> {
      const now = clock.now()
      if (await wishDeleted(record, snapshotNews(record, deleting, now), now)) announceGone(record)
    },

    /**
     * For the schedule that took it: wishes one deleted that newer ones replace. Otherwise the sentence that says why it is
     * kept.
     */
    async supersede(projectId: string, id: string): Promise<true | string> {
      const record = await repo.find(id)
      if (!isPresent(record, projectId)) return true
      const verdict = snapshotCan.delete(record)
      if (verdict !== true) return verdict
      const now = clock.now()
      if (!(await wishDeleted(record, supersededBySchedule(record, now), now))) return texts.inUse
      announceGone(record)
      kick(id)
      return true
    },

    /** Gone for the user at once; the reconciler removes its bytes. */
    async delete(userId: string, projectId: string, id: string): Promise<void> {
      const record = await find(projectId, id)
      require409(snapshotCan.delete(record))
      const now = clock.now()
      const wished = deletionAsked(record, userId, now)
      if (!(await wishDeleted(record, wished, now))) throw new Problem(409, texts.inUse)
      announceGone(record)
      kick(id)
    },
  }
}

/** Whether a value is the one a list is filtered by, in any letter case; no filter takes every value. */
export const fits = (wanted: string | undefined, value: string): boolean =>
  !wanted || wanted.toLowerCase() === value.toLowerCase()
