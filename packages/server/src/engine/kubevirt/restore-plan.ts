/** How a restore is told to KubeVirt, so that it touches nothing but what it is about. */
import type { MachineRestore, MachineSnapshotContent } from './kinds.ts'
import { rootVolume, volumeIdsOf } from './machine-volumes.ts'
import type { Names } from './names.ts'

/** What a machine is to be taken back to, as it is kept in its annotation. */
export interface Prepared {
  snapshotId: string
  volumeIds: string[]
}

export const writePrepared = (prepared: Prepared): string => JSON.stringify(prepared)

/** Null for what we did not write. */
export function readPrepared(text: string | undefined): Prepared | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    if (typeof value !== 'object' || value === null) return null
    if (!('snapshotId' in value) || typeof value.snapshotId !== 'string') return null
    if (!('volumeIds' in value) || !Array.isArray(value.volumeIds)) return null
    return { snapshotId: value.snapshotId, volumeIds: value.volumeIds.filter((id) => typeof id === 'string') }
  } catch {
    return null
  }
}

/** Begins the names of claims that a restore makes of what is not wanted back. */
const asideOf = (restore: string): string => `${restore}-aside-`

/**
 * KubeVirt takes back everything that a snapshot holds, and would overwrite disks that the machine does not have any more:
 * other machines may have them. So what is not wanted gets a claim of its own, which is removed afterwards.
 */
export function asideFor(
  names: Pick<Names, 'volume'>,
  restore: string,
  content: MachineSnapshotContent,
  wantedIds: readonly string[],
): NonNullable<MachineRestore['spec']['volumeRestoreOverrides']> {
  const wanted = new Set([rootVolume, ...wantedIds.map(names.volume)])
  return (content.spec.volumeBackups ?? [])
    .map(({ volumeName }) => volumeName)
    .filter((name) => !wanted.has(name))
    .map((volumeName, index) => ({ volumeName, restoreName: `${asideOf(restore)}${index}` }))
}

/** The claims of a restore that belong to nobody. */
export const asideIn = (restore: string, status: MachineRestore['status'] | null): string[] =>
  (status?.restores ?? []).flatMap(({ persistentVolumeClaim: name }) =>
    name?.startsWith(asideOf(restore)) ? name : [],
  )

export type Restoring = { is: 'coming' } | { is: 'done' } | { is: 'failed'; why: string }

/**
 * How far a restore is. One from a snapshot that holds nothing ends as `complete` too, having done nothing; and its
 * conditions may say for a moment that the VM is not running, which is no failure.
 */
export function restoringOf(status: MachineRestore['status'] | null): Restoring {
  const failure = status?.conditions?.find(({ type, status }) => type === 'Failure' && status === 'True')
  if (failure)
    return { is: 'failed', why: failure.message ?? failure.reason ?? 'The cluster gave no reason.' }
  if (!status?.complete) return { is: 'coming' }
  const hasRoot = status.restores?.some(({ volumeName }) => volumeName === rootVolume)
  return hasRoot ? { is: 'done' } : { is: 'failed', why: 'The cluster put no disk in place.' }
}

/** Those of `volumeIds` that the machine has: what a restore is about, beside the root disk. */
export const commonOf = (
  names: Pick<Names, 'volume'>,
  volumes: readonly { name: string }[],
  volumeIds: readonly string[],
): string[] => volumeIdsOf(names, volumes).filter((id) => volumeIds.includes(id))
