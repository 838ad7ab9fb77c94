/** Roll-outs: members of a pool or set that have older settings are replaced one by one. */

/** `none` also after it was stopped, when some members may have older settings. */
export const rollOutStates = ['none', 'running', 'paused'] as const

export const rollOutTexts = {
  nothing:
    'All VMs have these settings already. Change the template, the size, the root disk, the SSH key or the start script.',
  deleteDisks:
    'A VM that is replaced is deleted with its root disk and the disks that were created for it. Set delete_disks to true to accept this.',
  deleteDisksSaid: 'Say true or false for the deletion of disks',
  ofSnapshot:
    'These VMs are made of a snapshot. Create another group from another snapshot to change their settings.',
  noneRuns: 'No roll-out is under way.',
  notPaused: 'The roll-out is not paused.',
} as const

/** Why a root disk cannot stay as it is, with another template. API documents name no number. */
export const keptRootDiskTooSmall = (leastGb: number | '<n>'): string =>
  `The root disk of this template has ${leastGb} GB. Enter at least ${leastGb} for the root disk.`

interface RolledOut {
  roll_out: { state: (typeof rollOutStates)[number]; renewed_vms: number; total_vms: number }
}

/** Whether a roll-out runs or waits for a decision. */
export const isRollOutUnderWay = ({ roll_out: { state } }: RolledOut): boolean => state !== 'none'

/** Whether some members have older settings. */
export const hasOlderVms = ({ roll_out: { renewed_vms, total_vms } }: RolledOut): boolean =>
  renewed_vms < total_vms
