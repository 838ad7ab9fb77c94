import type { DiskSnapshot, SnapshotConsistency, VmSnapshot } from '@slipway/contract'

export type AnySnapshot = VmSnapshot | DiskSnapshot

export const isOfVm = (snapshot: AnySnapshot): snapshot is VmSnapshot => 'vm_id' in snapshot

/** What a snapshot promises about the data in it, in plain words: a short one, and what follows from it. */
interface Promised {
  short: string
  long: string
}

const vmConsistency: Record<SnapshotConsistency, Promised> = {
  clean: { short: 'VM was off', long: 'The VM was off: all data was written to its disks.' },
  memory: { short: 'With memory', long: 'A restored VM continues from the moment of the snapshot.' },
  frozen: {
    short: 'File systems frozen',
    long: 'The guest wrote out its file systems and froze them during the snapshot.',
  },
  crash: {
    short: 'As after a power cut',
    long: 'The guest was not prepared: its file systems are as after a power cut. Those with a journal recover from it.',
  },
}

const diskConsistency: Record<SnapshotConsistency, Promised> = {
  ...vmConsistency,
  clean: { short: 'Not in use', long: 'No running VM used the disk: all data was written to it.' },
  memory: { short: 'With memory', long: 'Taken together with the memory of its VM.' },
}

/** What is promised about the data in a snapshot; null until it is ready. */
export function promisedOf(snapshot: AnySnapshot): Promised | null {
  if (snapshot.consistency === null) return null
  return (isOfVm(snapshot) ? vmConsistency : diskConsistency)[snapshot.consistency]
}

/** What a VM snapshot contains; of one that is not ready, what was asked for. */
function contentText({
  snapshot_type,
  has_memory,
  consistency,
}: Pick<VmSnapshot, 'snapshot_type' | 'has_memory' | 'consistency'>): string {
  const full = consistency === null ? snapshot_type === 'full' : has_memory
  return full ? 'Disk and memory' : 'Disk only'
}

/** The type of a snapshot in the words of its kind. */
export function typeText(snapshot: AnySnapshot): string {
  if (isOfVm(snapshot)) return contentText(snapshot)
  return snapshot.snapshot_type === 'full' ? 'Full' : 'Incremental'
}

/** The size of a snapshot itself in MiB; null until it is ready. */
export const storedMb = (snapshot: AnySnapshot): number | null =>
  isOfVm(snapshot) ? snapshot.size_mb : snapshot.stored_mb

export const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)
