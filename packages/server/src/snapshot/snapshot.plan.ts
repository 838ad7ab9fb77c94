/**
 * The life of a snapshot, of a VM or of a disk, as a pure function: from what is stored, what the engine has and what
 * work is under way, the one next step. No clock, no I/O. State machines SM-6 and SM-8 of the catalogue.
 */
export interface SnapshotFacts {
  /** `pending`: nothing has been copied yet. `creating`: a copy was begun. */
  status: 'pending' | 'creating' | 'ready' | 'deleting' | 'failed' | 'error'
  /** It is in the bin: `deleting`, and kept whole. */
  isKept: boolean
  /** Its days are over. */
  expired: boolean
  /** A restore or a new disk reads it. */
  inUse: boolean
  /** Its status message tells of trouble that may be over. */
  troubled: boolean
}

/** What the engine has of it. `unreadable` says nothing about what is there. */
export type SnapshotCopy = 'absent' | 'whole' | 'broken' | 'unreadable'

/** The job that creates or deletes it: under way, or ended with an outcome that was not stored yet. */
export type SnapshotWork = 'none' | 'making' | 'made' | 'deleting' | 'deleted'

export type SnapshotStep =
  /** Start the job that creates it, when it is its turn. */
  | 'make'
  /** Store what came of that job. */
  | 'take'
  /** A copy was begun by an earlier server: tell whether it was finished. */
  | 'take-up'
  /** End the job that creates it: nobody wants the snapshot any more. */
  | 'abort'
  /** Start the job that deletes it. */
  | 'delete'
  /** Store what came of that job. */
  | 'take-deletion'
  /** Remove what a creation left that failed or was cancelled. */
  | 'clear'
  | 'lose'
  /** It can be read, again or still: say so. */
  | 'found'
  /** Say that it cannot be read now, and look again. */
  | 'wait'
  | 'expire'
  | 'rest'

export function planSnapshot(
  { status, isKept, expired, inUse, troubled }: SnapshotFacts,
  copy: SnapshotCopy,
  work: SnapshotWork,
): SnapshotStep {
  if (status === 'deleting' && isKept) return 'rest'
  if (status === 'deleting') return planDeletion(work)
  if (status === 'pending' || status === 'creating') return planCreation(status, copy, work)
  if (work === 'making') return 'abort'
  if (expired && !inUse) return 'expire'
  if (status === 'failed') return work !== 'none' || copy === 'whole' || copy === 'broken' ? 'clear' : 'rest'
  if (copy === 'unreadable') return 'wait'
  if (status === 'error') return copy === 'whole' ? 'found' : 'rest'
  if (copy !== 'whole') return 'lose'
  return troubled ? 'found' : 'rest'
}

function planDeletion(work: SnapshotWork): SnapshotStep {
  if (work === 'making') return 'abort'
  if (work === 'deleting') return 'rest'
  return work === 'deleted' ? 'take-deletion' : 'delete'
}

function planCreation(status: 'pending' | 'creating', copy: SnapshotCopy, work: SnapshotWork): SnapshotStep {
  if (work === 'making') return 'rest'
  if (work === 'made') return 'take'
  if (status === 'pending') return 'make'
  return copy === 'unreadable' ? 'wait' : 'take-up'
}
