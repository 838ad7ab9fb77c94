import { isFoundIn, type VmSnapshot, vmSnapshotStateOf } from '@slipway/contract'

/** What the status filter offers; `All` is its empty choice. */
export const statusChoices = [
  { value: 'all', label: 'All' },
  { value: 'ready', label: 'Ready' },
  { value: 'creating', label: 'Creating' },
  { value: 'failed', label: 'Failed' },
  { value: 'error', label: 'Error' },
] as const

/** The choice a snapshot belongs to; one that waits for its turn is being created, one that is being deleted has none. */
function choiceOf(snapshot: Pick<VmSnapshot, 'status'>): string {
  const state = vmSnapshotStateOf(snapshot)
  return state === 'pending' ? 'creating' : state
}

/** The numbers over the list; a snapshot that broke later counts as failed, too (catalogue G-056). */
export function countVmSnapshots(snapshots: readonly Pick<VmSnapshot, 'status'>[]) {
  const count = (...choices: string[]) =>
    snapshots.filter((snapshot) => choices.includes(choiceOf(snapshot))).length
  return {
    total: snapshots.length,
    ready: count('ready'),
    creating: count('creating'),
    failed: count('failed', 'error'),
  }
}

/** Whether a snapshot is meant: it has the status, and every word of the search occurs somewhere in it. */
export function matchesVmSnapshot(
  snapshot: Pick<VmSnapshot, 'name' | 'vm_name' | 'vm_id' | 'description' | 'status'>,
  search: string,
  status: string,
): boolean {
  if (status !== 'all' && choiceOf(snapshot) !== status) return false
  return isFoundIn(search, snapshot.name, snapshot.vm_name, snapshot.vm_id, snapshot.description)
}
