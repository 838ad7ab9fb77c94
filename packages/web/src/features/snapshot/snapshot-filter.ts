import { diskSnapshotStateOf, isFoundIn, vmSnapshotStateOf } from '@slipway/contract'

type WithStatus = { status: string }

/** What sets the filters of the two kinds of snapshots apart. */
export interface SnapshotFilterKind {
  /** As it stands in the URL of the list. */
  inUrl: { search: ''; status: readonly [string, ...string[]] }
  /** The words of the choice that filters nothing. */
  allLabel: string
  /** The choice a snapshot belongs to; one that is being deleted has none. */
  choiceOf: (snapshot: WithStatus) => string
}

export const vmSnapshotFilter: SnapshotFilterKind = {
  inUrl: { search: '', status: ['all', 'ready', 'creating', 'failed', 'error'] },
  allLabel: 'All',
  choiceOf: (snapshot) => {
    const state = vmSnapshotStateOf(snapshot)
    // One that waits for its turn is being created.
    return state === 'pending' ? 'creating' : state
  },
}

export const diskSnapshotFilter: SnapshotFilterKind = {
  inUrl: { search: '', status: ['all', 'ready', 'creating', 'failed'] },
  allLabel: 'All Status',
  choiceOf: diskSnapshotStateOf,
}

/** The numbers over the list; a snapshot that broke later counts as failed, too (catalogue G-056). */
export function countSnapshots({ choiceOf }: SnapshotFilterKind, snapshots: readonly WithStatus[]) {
  const count = (...choices: string[]) =>
    snapshots.filter((snapshot) => choices.includes(choiceOf(snapshot))).length
  return {
    total: snapshots.length,
    ready: count('ready'),
    creating: count('creating'),
    failed: count('failed', 'error'),
  }
}

interface Searched extends WithStatus {
  name: string
  description: string
  vm_id?: string
  vm_name?: string
  disk_id?: string
  disk_name?: string
}

/** Whether a snapshot matches: it has the status, and every word of the search occurs somewhere in it. */
export function matchesSnapshot(
  { choiceOf }: SnapshotFilterKind,
  snapshot: Searched,
  { search, status }: { search: string; status: string },
): boolean {
  if (status !== 'all' && choiceOf(snapshot) !== status) return false
  const { name, description, vm_id, vm_name, disk_id, disk_name } = snapshot
  return isFoundIn(
    search,
    ...[name, description, vm_id, vm_name, disk_id, disk_name].filter((text) => text !== undefined),
  )
}
