import type { SnapshotConsistency, VmSnapshot } from '@slipway/contract'

/** What a snapshot promises about the data in it, in plain words: a short one, and what follows from it. */
interface Promised {
  short: string
  long: string
}

export const vmConsistency: Record<SnapshotConsistency, Promised> = {
  clean: { short: 'VM was off', long: 'The VM was off: everything was written to its disks.' },
  memory: { short: 'With memory', long: 'A restore goes on from that very moment.' },
  frozen: {
    short: 'File systems held still',
    long: 'The guest had written out its file systems and held them still.',
  },
  crash: {
    short: 'As after a power cut',
    long: 'The guest was not asked: its file systems are as after a power cut. Those with a journal recover from it.',
  },
}

export const diskConsistency: Record<SnapshotConsistency, Promised> = {
  ...vmConsistency,
  clean: { short: 'Not in use', long: 'No running VM had the disk: everything was written to it.' },
  memory: { short: 'With memory', long: 'It was taken together with the memory of its VM.' },
}

/** What a VM snapshot holds; of one that is not ready, what was asked for. */
export function typeText({
  snapshot_type,
  has_memory,
  consistency,
}: Pick<VmSnapshot, 'snapshot_type' | 'has_memory' | 'consistency'>): string {
  const full = consistency === null ? snapshot_type === 'full' : has_memory
  return full ? 'Disk and memory' : 'Disk only'
}

export const daysText = (days: number): string => (days === 1 ? '1 day' : `${days} days`)
