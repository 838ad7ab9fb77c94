/**
 * The life of a data disk as a pure function: from what is stored, what the engine has and what work is under way, the
 * one next step. No clock, no I/O. State machine SM-7 of the catalogue.
 */
import type { DiskStatus } from '@slipway/contract'

export interface DiskFacts {
  status: DiskStatus
  /** It is in the bin: `deleting`, and kept whole. */
  isKept: boolean
  vmId: string | null
  /** Whether the engine has put it on that VM. */
  plugged: boolean
  /** Somebody asked to take it off. */
  detaching: boolean
  /** Whether it is to become larger, and whether the engine has made it so. */
  growth: 'none' | 'wanted' | 'done'
  /** Its status message tells of trouble that may be over. */
  troubled: boolean
}

/** What the engine has of it. `unreadable` says nothing about what is there. */
export type DiskVolume = 'absent' | 'whole' | 'broken' | 'unreadable'

/**
 * Whether the job that creates it, puts it on its VM, takes it off or makes it larger is under way, or has ended with an outcome that was
 * not stored yet.
 */
export type DiskWork = 'none' | 'under-way' | 'settled'

export type DiskStep =
  /** Start the job that creates it. */
  | 'make'
  /** Store what came of that job. */
  | 'take'
  /** End that job: nobody wants the disk any more. */
  | 'abort'
  | 'delete'
  /** Remove what a creation left that failed or was cancelled. */
  | 'clear'
  /** Start the job that puts it on its VM. */
  | 'plug'
  /** Start the job that takes it off its VM. */
  | 'unplug'
  /** Start the job that makes it larger. */
  | 'grow'
  /** Store what came of one of these. */
  | 'take-move'
  | 'free'
  /** Store its new size. */
  | 'note-size'
  | 'lose'
  /** It can be read, again or still: say so. */
  | 'found'
  /** Say that it cannot be read now, and look again. */
  | 'wait'
  | 'rest'

export function planDisk(disk: DiskFacts, volume: DiskVolume, work: DiskWork): DiskStep {
  if (disk.status === 'deleting' && disk.isKept) return 'rest'
  if (disk.status === 'deleting') return work === 'under-way' ? 'abort' : 'delete'
  if (disk.status === 'creating') return planCreation(volume, work)
  if (disk.status === 'failed' && !disk.detaching) return planFailed(volume, work)
  if (work !== 'none') return work === 'settled' ? 'take-move' : 'rest'
  if (disk.vmId !== null && disk.detaching) return 'unplug'
  // The VM went before its disk could be taken off.
  if (disk.detaching) return 'free'
  if (volume === 'unreadable') return 'wait'
  if (disk.status === 'error') return volume === 'whole' ? 'found' : 'rest'
  if (volume !== 'whole') return 'lose'
  if (disk.vmId !== null && !disk.plugged) return 'plug'
  if (disk.growth !== 'none') return disk.growth === 'done' ? 'note-size' : 'grow'
  return disk.troubled ? 'found' : 'rest'
}

function planCreation(volume: DiskVolume, work: DiskWork): DiskStep {
  if (work === 'under-way') return 'rest'
  if (work === 'settled') return 'take'
  return volume === 'unreadable' ? 'wait' : 'make'
}

/** It was never handed to anybody, so nothing of it is anybody's data. */
function planFailed(volume: DiskVolume, work: DiskWork): DiskStep {
  if (work === 'under-way') return 'abort'
  return work === 'settled' || volume === 'whole' || volume === 'broken' ? 'clear' : 'rest'
}
