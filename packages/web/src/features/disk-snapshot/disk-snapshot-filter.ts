import { type DiskSnapshot, diskSnapshotStateOf, isFoundIn } from '@slipway/contract'

export const statusChoices = [
  { value: 'all', label: 'All Status' },
  { value: 'ready', label: 'Ready' },
  { value: 'creating', label: 'Creating' },
  { value: 'failed', label: 'Failed' },
] as const

/** The numbers over the list. */
export function countDiskSnapshots(snapshots: readonly { status: string }[]) {
  const count = (state: string) =>
    snapshots.filter((snapshot) => diskSnapshotStateOf(snapshot) === state).length
  return {
    total: snapshots.length,
    ready: count('ready'),
    creating: count('creating'),
    failed: count('failed'),
  }
}

type Searched = Pick<DiskSnapshot, 'name' | 'disk_id' | 'disk_name' | 'description'> & { status: string }

/** Whether a snapshot is meant: it has the status, and every word of the search occurs somewhere in it. */
export function matchesDiskSnapshot(snapshot: Searched, search: string, status: string): boolean {
  if (status !== 'all' && diskSnapshotStateOf(snapshot) !== status) return false
  return isFoundIn(search, snapshot.name, snapshot.disk_id, snapshot.disk_name, snapshot.description)
}
