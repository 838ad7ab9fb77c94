import { type Limits, unlessLimited } from './host.rules.ts'

export const diskSnapshotTexts = {
  nameMissing: 'Please enter a snapshot name',
  diskMissing: 'Please select a disk to snapshot',
  projectMissing: 'No project selected',
  /** The hint below the field and the error of the server. */
  retentionInvalid: 'Minimum: 1 day, Maximum: 10 years',
  typeInvalid: 'Invalid snapshot type',
  notReady: 'Snapshot is not ready',
  inUse: 'Snapshot is in use. Please try again later.',
} as const

export const diskSnapshotStatuses = ['creating', 'ready', 'failed', 'error'] as const

export const diskSnapshotTypes = ['full', 'incremental'] as const

/** Whether a disk snapshot of a type can be taken here: `true`, or the sentence that says why not. */
export const diskSnapshotTypeAllowed = (
  type: (typeof diskSnapshotTypes)[number],
  cannot: Pick<Limits, 'incremental_snapshots'>,
): true | string => type !== 'incremental' || unlessLimited(cannot.incremental_snapshots)

/** Days. */
export const diskSnapshotRetention = { min: 1, max: 3650, default: 30 } as const

/** `error` counts as failed, words are compared without case (SM-8). */
export function diskSnapshotStateOf({ status }: { status: string }): string {
  const word = status.toLowerCase()
  return word === 'error' ? 'failed' : word
}
