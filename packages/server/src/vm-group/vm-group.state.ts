import { type GroupDisk, type GroupEvent, gibibyte, parseDiskSize, quotaOfVms } from '@slipway/contract'
import type { GroupFacts } from './vm-group.plan.ts'

export type GroupKind = 'pool' | 'set'

/** A stored pool or set. */
export interface GroupRecord {
  id: string
  projectId: string
  kind: GroupKind
  name: string
  description: string
  templateId: string
  templateName: string
  imageId: string
  sshKeyId: string
  sshKeyName: string
  sshPublicKey: string
  cpu: number
  memoryMb: number
  disks: GroupDisk[]
  /** The VM snapshot that every member is made of; null where it is the template alone. */
  copyOf: string | null
  minSize: number
  maxSize: number
  autoScaling: boolean
  status: 'coming' | 'active' | 'error'
  /** Milliseconds since the epoch. */
  statusSince: number
  statusMessage: string | null
  sizedAt: number | null
  createdAt: string
  facts: GroupFacts
}

export type NewEvent = Pick<GroupEvent, 'kind' | 'message' | 'from_size' | 'to_size'>

/** What so many members take of a quota, with the disks that are made for them. */
export function takenByMembers(
  count: number,
  member: Pick<GroupRecord, 'cpu' | 'memoryMb'> & { disks: readonly Pick<GroupDisk, 'size'>[] },
) {
  const gi = member.disks.reduce((sum, { size }) => {
    const parsed = parseDiskSize(size)
    return sum + (typeof parsed === 'number' ? parsed : 0)
  }, 0)
  return quotaOfVms(count, { cpu: member.cpu, memory_mb: member.memoryMb, disk_bytes: gi * gibibyte })
}

/** What a group takes beyond what it was promised, when it is to have so many members. */
export const takenByGrowing = (group: GroupRecord, desired: number, members: number) =>
  takenByMembers(Math.max(0, desired - Math.max(group.facts.desired, members)), group)
