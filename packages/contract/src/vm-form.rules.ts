/** What is asked for when VMs are made and changed. Pages that only show VMs do not load it. */

export const vmTexts = {
  nameMissing: 'Please enter a VM name',
  projectMissing: 'Please select a project',
  sshKeyMissing: 'Please select an SSH key for secure access',
  templateMissing: 'Please select a template',
  diskMissing: 'Please select an existing disk for all disk entries',
  beingSnapshotted: 'A snapshot of this VM is being created. Please try again later.',
  diskBeingSnapshotted: 'A snapshot of a disk of this VM is being created. Please try again later.',
  beingRestored: 'This VM is being restored. Please try again later.',
  projectMismatch: 'Project does not match',
  suspendAfter: 'Enter a whole number of minutes from 1 to 10080 (a week), or null for never',
  copyCount: 'Enter a whole number of VMs from 1 to 10',
  sourceGone: 'The snapshot it is made of no longer exists',
  disksChanging: 'A disk of this VM is being attached or detached. Please try again later.',
} as const

/** So many copies of a VM are made by one call. */
export const copiesAtOnce = 10

/** What copies of a VM are called: one by the name that was asked for, several by that and a number. */
export const copyNames = (name: string, count: number): string[] =>
  count === 1 ? [name] : Array.from({ length: count }, (_, index) => `${name}-${index + 1}`)

/** The longest time without use, in minutes, after which a VM can be suspended: a week. */
export const longestUnusedMinutes = 7 * 24 * 60
