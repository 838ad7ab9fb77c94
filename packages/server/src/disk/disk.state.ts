import type { Disk } from '@slipway/contract'
import type { DiskFacts } from './disk.plan.ts'

/** Whether what was found out for a disk is still what is requested of it. */
export const isSameDiskRequest = (one: DiskRecord, other: DiskRecord): boolean =>
  one.facts.status === other.facts.status &&
  one.facts.isKept === other.facts.isKept &&
  one.facts.vmId === other.facts.vmId &&
  one.facts.detaching === other.facts.detaching &&
  one.nextSizeBytes === other.nextSizeBytes

/** A stored disk as it goes over the wire, and what only the server needs of it. */
export interface DiskRecord {
  disk: Omit<Disk, 'project_id' | 'progress'>
  /** Null once the project is gone; only the wish to delete it is left then. */
  projectId: string | null
  /** The account whose project it is. */
  ownerId: string | null
  facts: DiskFacts
  /** The VM it was made for and goes with. */
  ownerVmId: string | null
  /** What it is made from. */
  origin: {
    source: 'EMPTY' | 'HTTP' | 'SNAPSHOT' | 'REGISTRY' | 'UPLOAD'
    image_url: string | null
    snapshot_id: string | null
    snapshot_kind: 'machine' | 'volume' | null
    snapshot_disk_id: string | null
  }
  sizeBytes: number
  /** What it is being made larger to. */
  nextSizeBytes: number | null
  /** Of a disk that is made from a file: how much of that is there. */
  upload: { received: number; bytes: number; sha256: string | null; lastReceivedAt: string } | null
}
