/** What pools and sets have in common; both are groups of VMs, and a VM of a group is its member. */
import { parseDiskSize } from './quantity.ts'
import { cutToFit, nameLimit } from './text.rules.ts'

export interface GroupDiskDraft {
  name: string
  size: string
}

/** Leaves room for the number of the member, which follows in the names of its disks. */
export const groupDiskNameLimit = 90

export const groupDiskTexts = {
  /** Beside the field. */
  nameMissing: 'Please enter a disk name',
  sizeMissing: 'Please enter a disk size',
  /** For the whole form; disks are counted from 1. */
  nameMissingAt: (index: number) => `Please enter a name for disk #${index + 1}`,
  sizeMissingAt: (index: number) => `Please enter a size for disk #${index + 1}`,
} as const

/** Of groups whose VMs are made of a VM snapshot. */
export const groupSnapshotTexts = {
  missing: 'Please select a VM snapshot of this project.',
  disks: 'VMs that are made of a snapshot have its disks. Remove the disks, or the snapshot.',
  persistent: 'VMs that are made of a snapshot keep their root disk. Turn persistent storage on.',
  otherTemplate: 'The VM of this snapshot has another template.',
  machineSize:
    'VMs that are made of a snapshot have the CPUs and memory of its VM. Leave them out, or remove the snapshot.',
  rootDisk: 'VMs that are made of a snapshot have its root disk. Leave the size out, or remove the snapshot.',
  startScript: 'VMs that are made of a snapshot run no start script. Remove the script, or the snapshot.',
} as const

/** What is wrong with the disks every member of a group shall have, first problem first; null when nothing is. */
export function groupDisksProblem(
  disks: readonly GroupDiskDraft[],
): { index: number; message: string } | null {
  for (const [index, disk] of disks.entries()) {
    if (disk.name.trim() === '') return { index, message: groupDiskTexts.nameMissingAt(index) }
    if (disk.size.trim() === '') return { index, message: groupDiskTexts.sizeMissingAt(index) }
    const size = parseDiskSize(disk.size)
    if (typeof size === 'string') return { index, message: size }
  }
  return null
}

/** The name of a member: `web-3` is the third of `web`. Long names of groups are cut, so that it stays a VM's name. */
export function memberName(groupName: string, number: number): string {
  const suffix = `-${number}`
  return cutToFit(groupName, nameLimit - suffix.length) + suffix
}

/** The kinds of entry in the history of a group. */
export const groupEventKinds = [
  'created',
  /** The size somebody asked for. */
  'resized',
  /** The autoscaler's step. */
  'scaled',
  'member_added',
  'member_removed',
  /** A member that broke or never came up went; another one takes its place. */
  'member_replaced',
  /** A member that broke was started again with its disks. */
  'member_restarted',
  /** A roll-out began, or goes on. */
  'roll_out',
  'roll_out_paused',
  'roll_out_stopped',
  /** All members have the new settings. */
  'rolled_out',
  'failed',
  'recovered',
] as const
