/** How large a claim is for the disk on it. Storage with file systems needs some room for itself, so the two may differ. */
import type { Claim } from './kinds.ts'
import type { MirroredDataVolume } from './mirror.ts'
import { mark } from './names.ts'
import { bytesOf } from './quantities.ts'

const MIB = 2 ** 20

export interface ClaimSize {
  /** What the claim asks the storage for. */
  requested: number
  /** How large the disk is when it has that. */
  diskBytes: number
}

/**
 * What a claim asks for now. One that was enlarged carries the size of its disk, also when a snapshot brings it back; another one
 * was made for the disk as it was made, or comes of a snapshot of a smaller one.
 */
export function sizeOfClaim(
  volume: Pick<MirroredDataVolume, 'requested'> & Partial<Pick<MirroredDataVolume, 'annotations'>>,
  { metadata, spec }: Pick<Claim, 'metadata' | 'spec'>,
): ClaimSize {
  const requested = bytesOf(spec.resources?.requests?.storage) ?? 0
  const made = bytesOf(volume.requested) ?? bytesOf(volume.annotations?.[mark.size]) ?? 0
  const asMade = Math.min(made, requested)
  return { requested, diskBytes: bytesOf(metadata.annotations?.[mark.size]) ?? asMade }
}

/** How large the disk on a claim with a file system is; null on one without, whose disk is all of it. */
export function diskOnFileSystem(
  volume: Parameters<typeof sizeOfClaim>[0],
  claim: Pick<Claim, 'metadata' | 'spec'>,
): number | null {
  if (claim.spec.volumeMode === 'Block') return null
  const { diskBytes } = sizeOfClaim(volume, claim)
  return diskBytes === 0 ? null : diskBytes
}

/** What a claim has to ask for so that its disk is that large; never less than it asks for. */
export function requestFor(has: ClaimSize, mode: Claim['spec']['volumeMode'], diskBytes: number): number {
  if (mode === 'Block' || has.diskBytes === 0) return Math.max(has.requested, diskBytes)
  const withRoom = (has.requested / has.diskBytes) * diskBytes
  return Math.max(has.requested, Math.ceil(withRoom / MIB) * MIB)
}

/**
 * Whether the storage has given what a claim asks for. Some does the last step when a guest is next started with the disk: until
 * then nobody would see it, so that without a guest it is done. What has no place yet gets one of that size.
 */
export function isGiven(status: Claim['status'], requested: number, hasGuest: boolean): boolean {
  if (status?.phase === 'Pending') return true
  if ((bytesOf(status?.capacity?.storage) ?? 0) >= requested) return true
  const waits = status?.conditions?.some(
    ({ type, status }) => type === 'FileSystemResizePending' && status === 'True',
  )
  // It may still be said of a smaller size.
  const allocated = bytesOf(status?.allocatedResources?.storage) ?? requested
  return waits === true && allocated >= requested && !hasGuest
}
