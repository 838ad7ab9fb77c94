import { type Limits, unlessLimited } from './host.rules.ts'

export const vmSnapshotTexts = {
  nameMissing: 'Please enter a snapshot name',
  vmMissing: 'Please select a VM',
  retentionInvalid: 'Retention must be between 1 and 365 days',
  typeInvalid: 'Invalid snapshot type',
  otherVm: 'Snapshot belongs to another VM',
  notReady: 'Snapshot is not ready',
  vmGone: 'The VM of this snapshot no longer exists',
  inUse: 'Snapshot is in use. Please try again later.',
  ofFork: 'Fork of',
  goesByItself: 'Made for copies of the VM. It is deleted when they are made.',
  restoring: 'VM restoration started successfully!',
} as const

/** The words the server sends. `completed` and `processing` are understood as well, see `vmSnapshotStateOf`. */
export const vmSnapshotStatuses = ['pending', 'creating', 'ready', 'deleting', 'failed', 'error'] as const

export const vmSnapshotTypes = ['disk', 'full'] as const

/**
 * Whether a VM snapshot of a type can be taken here: `true`, or the sentence that says why not. A stopped VM has no
 * memory to save, but `full` is refused all the same: it would be a `disk` one under another name.
 */
export const vmSnapshotTypeAllowed = (
  type: (typeof vmSnapshotTypes)[number],
  cannot: Pick<Limits, 'memory_snapshots'>,
): true | string => type !== 'full' || unlessLimited(cannot.memory_snapshots)

/**
 * What a snapshot promises about the data in it. `clean`: the VM was off. `memory`: the guest goes on from that very
 * moment. `frozen`: its file systems were written out and held still by the guest agent. `crash`: as after a power
 * cut; file systems with a journal recover from it.
 */
export const snapshotConsistencies = ['clean', 'memory', 'frozen', 'crash'] as const

/** Days. */
export const vmSnapshotRetention = { min: 1, max: 365, default: 30 } as const

type WithStatus = { status: string }

/** In lower case, with `completed` as `ready` and `processing` as `creating`. Words nobody knows are kept. */
export function vmSnapshotStateOf({ status }: WithStatus): string {
  const word = status.toLowerCase()
  return word === 'completed' ? 'ready' : word === 'processing' ? 'creating' : word
}

/** Whether the status will change by itself. */
export const isSnapshotUnderWay = (snapshot: WithStatus): boolean =>
  ['pending', 'creating', 'deleting'].includes(vmSnapshotStateOf(snapshot))

const whenReady = (snapshot: WithStatus): true | string =>
  vmSnapshotStateOf(snapshot) === 'ready' || vmSnapshotTexts.notReady

/** What may be done with a snapshot now: `true`, or the sentence that says why not (state machines SM-6, SM-8). */
export const snapshotCan = {
  restore: whenReady,
  createDisk: whenReady,
  download: whenReady,
  createVms: whenReady,
  delete: (snapshot: WithStatus): true | string => !isSnapshotUnderWay(snapshot) || vmSnapshotTexts.inUse,
}

const disksOfThen = {
  lost: (name: string) => `Disk "${name}" of this snapshot is no longer attached to the VM`,
  added: (name: string) =>
    `Disk "${name}" is not in this snapshot, whose memory fits only the disks of that time. Detach it and restore again.`,
} as const

/** What a restore of a snapshot with memory is refused with, for the documentation. */
export const disksOfThenRefusals = [disksOfThen.lost('<name>'), disksOfThen.added('<name>')] as const

interface HeldDisk {
  disk_id: string
  name: string
}

/**
 * Whether a VM has the disks that a snapshot needs: with memory exactly those of that time, as the guest goes on with what
 * it had. `true`, or the sentence that names the disk that is missing or too much.
 */
export function hasDisksOfThen(
  snapshot: { has_memory: boolean; disks: readonly HeldDisk[] },
  attached: readonly HeldDisk[],
): true | string {
  if (!snapshot.has_memory) return true
  const notIn = (all: readonly HeldDisk[]) => (disk: HeldDisk) =>
    !all.some(({ disk_id }) => disk_id === disk.disk_id)
  const lost = snapshot.disks.find(notIn(attached))
  if (lost) return disksOfThen.lost(lost.name)
  const added = attached.find(notIn(snapshot.disks))
  return added ? disksOfThen.added(added.name) : true
}

/** `512 MB`, `1.5 GB` from 1024 MB on, `Unknown` while nobody knows. */
export function formatSnapshotSize(sizeMb: number | null | undefined): string {
  if (sizeMb === null || sizeMb === undefined) return 'Unknown'
  return sizeMb < 1024 ? `${sizeMb} MB` : `${(sizeMb / 1024).toFixed(1)} GB`
}
