/**
 * Two long changes of one VM, or of one disk: what becomes of the second while the first is under way. One table for the
 * server, which asks it in the transaction that stores the second, and for docs/changes-that-overlap.md, which prints it.
 */
import { diskAllowedBy, diskTexts } from './disk.rules.ts'
import { diskSnapshotTexts } from './disk-snapshot.rules.ts'
import { missing } from './missing.rules.ts'
import { vmCan, type vmStatuses } from './vm.rules.ts'
import { vmTexts } from './vm-form.rules.ts'
import { vmSnapshotTexts } from './vm-snapshot.rules.ts'

/** What can be asked for and takes longer than the answer, with its name for people. */
export const longChanges = {
  start: 'Start',
  resume: 'Resume',
  stop: 'Stop',
  forceStop: 'Force stop',
  restart: 'Restart',
  suspend: 'Suspend',
  vmSnapshot: 'VM snapshot',
  fork: 'Fork',
  restore: 'Restore from a snapshot',
  resize: 'Change CPUs and memory',
  growRoot: 'Enlarge the root disk',
  changeKey: 'Change the SSH key',
  replace: 'Replace in a pool or set',
  binVm: 'Move the VM to the bin',
  deleteVm: 'Delete the VM for good',
  undoVm: 'Restore the VM from the bin',
  diskSnapshot: 'Disk snapshot',
  attach: 'Attach a disk',
  detach: 'Detach a disk',
  growDisk: 'Enlarge a disk',
  deleteDisk: 'Delete a disk',
  undoDisk: 'Restore a disk from the bin',
  backup: 'Back up the server',
} as const
export type LongChange = keyof typeof longChanges

/** What can be under way: a restore that copies can be cancelled, one whose disks change cannot. */
export const changesUnderWay = { ...longChanges, exchange: 'Restore, once the disks change' } as const
export type UnderWay = keyof typeof changesUnderWay

export type Overlap =
  /** Refused with this sentence. */
  | { verdict: 'refused'; why: string }
  /** Stored, and done once the first has ended. */
  | { verdict: 'waits' }
  /** Stored, and done at once: beside the first, or in its place. */
  | { verdict: 'goes' }

const refused = (why: string): Overlap => ({ verdict: 'refused', why })
const waits: Overlap = { verdict: 'waits' }
const goes: Overlap = { verdict: 'goes' }

type Row = Partial<Record<LongChange, Overlap>>

/** A copy of the whole VM is being made. */
const whileCopied: Row = {
  start: waits,
  suspend: refused(vmTexts.beingSnapshotted),
  vmSnapshot: waits,
  fork: waits,
  restore: refused(vmTexts.beingSnapshotted),
  growRoot: waits,
  replace: waits,
  binVm: refused(vmTexts.beingSnapshotted),
  deleteVm: refused(vmTexts.beingSnapshotted),
  diskSnapshot: waits,
  // Memory goes on only with the disks that its guest had.
  attach: refused(vmTexts.beingSnapshotted),
  detach: refused(diskTexts.beingSnapshotted),
  growDisk: waits,
  deleteDisk: refused(diskTexts.beingSnapshotted),
  backup: waits,
}

const whileDisksChange: Row = {
  suspend: refused(vmTexts.disksChanging),
  vmSnapshot: refused(vmTexts.disksChanging),
  fork: refused(vmTexts.disksChanging),
  restore: refused(vmTexts.disksChanging),
  growDisk: waits,
  detach: waits,
  deleteDisk: refused(diskTexts.attached),
}

const whileRestored: Row = {
  // A VM whose files cannot be read shows an error, whatever goes on.
  restore: refused(vmTexts.beingRestored),
  vmSnapshot: refused(vmTexts.beingRestored),
  fork: refused(vmTexts.beingRestored),
  replace: waits,
  binVm: refused(vmTexts.beingRestored),
  // Nobody could tell which bytes it would hold: those before, or those after.
  diskSnapshot: refused(vmTexts.beingRestored),
  attach: refused(vmTexts.beingRestored),
  detach: refused(vmTexts.beingRestored),
  backup: waits,
}

const everyChange = Object.keys(longChanges) as LongChange[]
const every = (verdict: Overlap): Row => Object.fromEntries(everyChange.map((change) => [change, verdict]))

const onceGone: Row = {
  ...every(refused(missing.vmNotFound)),
  restore: refused(vmSnapshotTexts.vmGone),
  attach: refused(diskTexts.vmMissing),
  detach: refused(diskTexts.notAttached),
  // Disks that were only attached are available at once.
  diskSnapshot: goes,
  growDisk: goes,
  deleteDisk: goes,
  undoDisk: goes,
  replace: goes,
  backup: goes,
}

/**
 * What is not said here goes, as far as the status of the VM allows it. Of two disks of a VM each is changed by itself:
 * attach, detach, enlarge, snapshot and delete look only at the same disk and at its VM.
 */
const overlaps: Partial<Record<UnderWay, Row>> = {
  vmSnapshot: whileCopied,
  fork: whileCopied,
  diskSnapshot: {
    ...whileCopied,
    suspend: refused(vmTexts.diskBeingSnapshotted),
    restore: refused(vmTexts.diskBeingSnapshotted),
    binVm: refused(vmTexts.diskBeingSnapshotted),
    deleteVm: refused(vmTexts.diskBeingSnapshotted),
    growRoot: goes,
    attach: refused(diskTexts.beingSnapshotted),
  },
  attach: { ...whileDisksChange, diskSnapshot: waits },
  detach: {
    ...whileDisksChange,
    // It starts without the disk, or with it when its guest did not let go.
    start: waits,
    diskSnapshot: refused(diskTexts.beingDetached),
  },
  growDisk: { growDisk: goes, detach: waits },
  restore: { ...whileRestored, deleteVm: refused(vmTexts.beingRestored) },
  exchange: whileRestored,
  binVm: { ...onceGone, undoVm: goes },
  deleteVm: { ...onceGone, undoVm: refused(missing.binItemNotFound) },
  deleteDisk: {
    attach: refused(missing.diskNotFound),
    detach: refused(missing.diskNotFound),
    growDisk: refused(missing.diskNotFound),
    deleteDisk: refused(missing.diskNotFound),
    diskSnapshot: refused(diskSnapshotTexts.diskMissing),
  },
}

/** What is deleted is not found, which is not a matter of two changes. */
const endings: readonly string[] = ['binVm', 'deleteVm', 'deleteDisk'] satisfies UnderWay[]

type Status = (typeof vmStatuses)[number]
const settled: readonly Status[] = ['running', 'stopped']

/** What a VM shows while a change is under way. */
export const shownDuring: Partial<Record<UnderWay, readonly Status[]>> = {
  start: ['starting'],
  resume: ['starting'],
  stop: ['stopping'],
  forceStop: ['stopping'],
  restart: ['stopping', 'starting'],
  suspend: ['suspending'],
  vmSnapshot: settled,
  fork: settled,
  restore: ['stopping', 'starting', 'pending'],
  exchange: ['stopping', 'starting', 'pending'],
  replace: ['stopping'],
  undoVm: ['starting'],
}

/** Whether the status of its VM allows a change. */
export const allowedByStatus: Partial<Record<LongChange, (vm: { status: string }) => true | string>> = {
  start: vmCan.start,
  resume: vmCan.start,
  stop: vmCan.stop,
  forceStop: vmCan.forceStop,
  restart: vmCan.restart,
  suspend: vmCan.suspend,
  vmSnapshot: vmCan.snapshot,
  fork: vmCan.fork,
  restore: vmCan.restore,
  attach: diskAllowedBy.attach,
  detach: diskAllowedBy.detach,
  growDisk: diskAllowedBy.grow,
  growRoot: diskAllowedBy.grow,
}

/** What becomes of a change that is requested while another is under way, the status of the VM left aside. */
export const overlapOf = (underWay: UnderWay, requested: LongChange): Overlap =>
  overlaps[underWay]?.[requested] ?? goes

/** Whether none of the statuses that a VM shows while a change is under way allows another one. */
export function isRefusedByStatus(underWay: UnderWay, requested: LongChange): boolean {
  const rule = allowedByStatus[requested]
  const shown = shownDuring[underWay] ?? []
  return rule !== undefined && shown.length > 0 && shown.every((status) => rule({ status }) !== true)
}

/** Whether a change may be stored beside those that are under way: `true`, or the sentence that says why not. */
export function mayBegin(requested: LongChange, underWay: Iterable<UnderWay>): true | string {
  for (const one of underWay) {
    const overlap = overlapOf(one, requested)
    if (overlap.verdict === 'refused') return overlap.why
  }
  return true
}

/** Every sentence with which such a change is refused of what is there, as for documents. */
export function overlapRefusals(...requested: readonly LongChange[]): string[] {
  const rows = Object.entries(overlaps).filter(([underWay]) => !endings.includes(underWay))
  const said = rows.flatMap(([, row]) =>
    requested.flatMap((change) => {
      const overlap = row?.[change]
      return overlap?.verdict === 'refused' ? overlap.why : []
    }),
  )
  return [...new Set(said)]
}

/** Whether a change that a program asks for, which asks again, has to wait for one of those under way. */
export const hasToWait = (requested: LongChange, underWay: Iterable<UnderWay>): boolean =>
  [...underWay].some((one) => overlapOf(one, requested).verdict !== 'goes')
