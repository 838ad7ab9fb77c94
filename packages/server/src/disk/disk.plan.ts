/**
 * The life of a data disk as a pure function: from what is stored and what the engine has, the one next step. No
 * clock, no I/O. State machine SM-7 of the catalogue.
 */
import type { DiskStatus } from '@slipway/contract'

export interface DiskFacts {
  status: DiskStatus
  vmId: string | null
  /** Whether the engine has put it on that VM. */
  plugged: boolean
  /** Somebody asked to take it off. */
  detaching: boolean
}

export type DiskStep = 'make' | 'delete' | 'plug' | 'unplug' | 'free' | 'lose' | 'rest'

export function planDisk(disk: DiskFacts, volume: 'absent' | 'whole' | 'broken'): DiskStep {
  if (disk.status === 'deleting') return 'delete'
  if (disk.status === 'creating') return 'make'
  if (disk.vmId !== null && disk.detaching) return 'unplug'
  // The VM went before its disk could be taken off.
  if (disk.detaching) return 'free'
  if (disk.status === 'failed' || disk.status === 'error') return 'rest'
  if (volume !== 'whole') return 'lose'
  return disk.vmId !== null && !disk.plugged ? 'plug' : 'rest'
}
