/** What a VirtualMachineSnapshot holds, from what KubeVirt says of it. */
import type { SnapshotMade } from '../engine.ts'
import { oneLine } from './failure.ts'
import type { MachineSnapshot } from './kinds.ts'
import { rootVolume } from './machine-volumes.ts'

type Status = MachineSnapshot['status'] | null

export type Taking =
  | { is: 'coming'; trouble: string | null }
  | { is: 'whole' }
  /** It was whole, and is not any more. */
  | { is: 'damaged'; why: string }
  | { is: 'failed'; why: string }

/**
 * How far it is. KubeVirt says `Succeeded` and ready of a snapshot that holds nothing, where the storage cannot make
 * snapshots: only the list of what is in it counts.
 *
 * @param wanted names of volumes that have to be in it
 */
export function takingOf(status: Status, wanted: readonly string[]): Taking {
  const said = status?.error?.message
  const why = said ? oneLine(said) : null
  if (status?.phase === 'Failed') return { is: 'failed', why: why ?? 'The storage did not make it in time.' }
  if (status?.phase !== 'Succeeded') return { is: 'coming', trouble: why }
  const missing = wanted.filter((name) => !includedIn(status).includes(name))
  if (status.snapshotVolumes && missing.length > 0)
    return {
      is: 'failed',
      why: `The cluster left ${missing.length === 1 ? 'a disk' : `${missing.length} disks`} out of it.`,
    }
  if (why !== null) return { is: 'damaged', why }
  const isWhole = status.readyToUse && status.snapshotVolumes && status.virtualMachineSnapshotContentName
  return isWhole ? { is: 'whole' } : { is: 'coming', trouble: null }
}

/** What must be in a snapshot whose making nobody remembers: the root disk, and no data volume was left out. */
export const mustHold = (status: Status, dataVolumes: string): string[] => [
  rootVolume,
  ...(status?.snapshotVolumes?.excludedVolumes ?? []).filter((name) => name.startsWith(dataVolumes)),
]

const includedIn = (status: Status): readonly string[] => status?.snapshotVolumes?.includedVolumes ?? []

/** How the moment was taken: KubeVirt marks a snapshot of a living guest, and whether its agent froze the file systems. */
export function consistencyOf(status: Status): SnapshotMade['consistency'] {
  const marks = status?.indications ?? []
  if (!marks.includes('Online')) return 'clean'
  return marks.includes('GuestAgent') && !marks.includes('QuiesceTimeout') ? 'frozen' : 'crash'
}
