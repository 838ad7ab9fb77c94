import {
  type BinRestored,
  type EndpointId,
  keptText,
  messages,
  operationTexts,
  type SnapshotRhythm,
  snapshotCan,
  storageGoesToBin,
  waitingText,
} from '@slipway/contract'
import type { Entry } from '../activity/entry.ts'
import { restored } from '../bin/bin.activity.ts'
import type { Tx } from '../db/open.ts'
import type { Changed } from '../event/event.bus.ts'
import { type Clock, isoTime } from '../lib/clock.ts'
import type { JobBoard } from '../lib/job-board.ts'
import { Problem, require409 } from '../lib/problem.ts'
import { mapInTurns } from '../lib/turn.ts'
import type { QuotaService } from '../quota/quota.service.ts'
import {
  creationCancelled,
  deletionAsked,
  type NamedSnapshot,
  snapshotNews,
  snapshotRestored,
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

const dayMs = 24 * 60 * 60_000

type Status = 'pending' | 'creating' | 'ready' | 'deleting' | 'failed' | 'error'

/** A stored one. */
interface Stored<W extends Wire> {
  id: string
  status: Status
  /** Null once the project is gone; only the wish to delete it is left then. */
  projectId: string | null
  storedBytes: number
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
      change: { status: Status; status_message?: string | null; keep?: { deletedBy: string; days: number } },
      entry: Entry | null,
      given?: (tx: Tx) => Promise<boolean>,
    ) => Promise<R | null>
    comeBack: (
      id: string,
      projectId: string,
      nowMs: number,
      how: {
        leastExpiresAt: string
        given: (tx: Tx, record: R) => Promise<void>
        entryOf: (before: R, name: string) => Entry
      },
    ) => Promise<R | null>
  }
  kind: 'vm_snapshot' | 'disk_snapshot'
  quotas: Pick<QuotaService, 'requireForReturn'>
  /** For how many days what people delete is kept; 0: it is not. */
  binDays: number
  kick: (snapshotId: string) => void
  changed: Changed
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
  const { repo, kind, kick, jobs, clock, texts, isInUse, binDays } = options
  /** Tells whoever listens that a snapshot changed, or is gone. */
  const changed = (projectId: string, id: string) => options.changed(kind, projectId, id)
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

  /** Null when somebody needs the snapshot, or it is going already. `keep`: it goes to the bin. */
  function wishDeleted(
    record: R,
    entry: Entry | null,
    now: number,
    keep?: { deletedBy: string; days: number },
  ): Promise<R | null> {
    const isFree = async (tx: Tx) => !(await isInUse(record, tx))
    const from = keep ? (['ready', 'error'] as const) : (['ready', 'failed', 'error'] as const)
    return repo.change(record.id, now, from, { ...deleting, ...(keep && { keep }) }, entry, isFree)
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
      return mapInTurns(await repo.list(projectId), (record) => wire({ ...record, projectId }))
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

    /** Gone for its users at once. It goes to the bin, unless it is deleted for good: then the reconciler removes its bytes. */
    async delete(userId: string, projectId: string, id: string, forGood = false): Promise<void> {
      const record = await find(projectId, id)
      require409(snapshotCan.delete(record))
      const now = clock.now()
      const isKept = !forGood && binDays > 0 && storageGoesToBin(record)
      const wished = deletionAsked(record, userId, now, isKept ? keptText(binDays) : null)
      const gone = isKept
        ? await wishDeleted(record, wished, now, { deletedBy: userId, days: binDays })
        : await wishDeleted(record, wished, now)
      if (!gone) throw new Problem(409, texts.inUse)
      announceGone(record)
      if (isKept) options.changed('bin_item', projectId, id)
      kick(id)
    },

    /** Brings a snapshot back from the bin. One whose days are over stays for another one. */
    async comeBack(userId: string, projectId: string, id: string): Promise<BinRestored> {
      const now = clock.now()
      const record = await repo.comeBack(id, projectId, now, {
        leastExpiresAt: isoTime(now + dayMs),
        given: (tx, { storedBytes }) =>
          options.quotas.requireForReturn(tx, projectId, { snapshot_bytes: storedBytes }),
        entryOf: (before, name) =>
          snapshotRestored(before, name, restored(userId, 'snapshot', before.snapshot.name, name), now),
      })
      if (!record) throw new Problem(404, messages.binItemNotFound)
      kick(id)
      await announce(record)
      return { id, kind, name: record.snapshot.name, notes: [] }
    },
  }
}

/** Whether a value is the one a list is filtered by, in any letter case; no filter takes every value. */
export const fits = (wanted: string | undefined, value: string): boolean =>
  !wanted || wanted.toLowerCase() === value.toLowerCase()
