/**
 * The life of a snapshot, of a VM or of a disk, as a pure function: from what is stored and what the engine has, the
 * one next step. No clock, no I/O. State machines SM-6 and SM-8 of the catalogue.
 */
export interface SnapshotFacts {
  /** `pending`: nothing has been copied yet. `creating`: a copy was begun. */
  status: 'pending' | 'creating' | 'ready' | 'deleting' | 'failed' | 'error'
  /** Its days are over. */
  expired: boolean
  /** A restore or a new disk reads it. */
  inUse: boolean
}

export type SnapshotStep = 'make' | 'take-up' | 'delete' | 'lose' | 'expire' | 'rest'

export function planSnapshot(
  { status, expired, inUse }: SnapshotFacts,
  copy: 'absent' | 'whole' | 'broken',
): SnapshotStep {
  if (status === 'deleting') return 'delete'
  if (status === 'pending') return 'make'
  // Whoever began the copy is gone: it was finished, or its moment is past.
  if (status === 'creating') return 'take-up'
  if (expired && !inUse) return 'expire'
  return status === 'ready' && copy !== 'whole' ? 'lose' : 'rest'
}
