import { type BinKind, type GroupDisk, type GroupEvent, quotaOfVmsWithDisks } from '@slipway/contract'
import type { GroupFacts } from './vm-group.facts.ts'

export type GroupKind = 'pool' | 'set'

/** Each kind by the words of the bin. */
export const binKindOf = { pool: 'vm_pool', set: 'vm_set' } as const satisfies Record<GroupKind, BinKind>

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
  /** Of the root disk of each member; null: as its image makes it. */
  rootBytes: number | null
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

/** What so many members take of a quota, with root disks of a size of their own and the disks that are made for them. */
export const takenByMembers = (
  count: number,
  member: Pick<GroupRecord, 'cpu' | 'memoryMb' | 'rootBytes'> & { disks: readonly Pick<GroupDisk, 'size'>[] },
) =>
  quotaOfVmsWithDisks(count, {
    cpu: member.cpu,
    memory_mb: member.memoryMb,
    root_bytes: member.rootBytes,
    disks: member.disks,
  })

/** What went with a group. */
export type Gone = Record<'vmIds' | 'diskIds' | 'freedIds' | 'shareIds', string[]>

/** A group that is to come back from the bin, with what was kept of it. */
export interface Returning {
  group: GroupRecord
  members: readonly Pick<GroupRecord, 'cpu' | 'memoryMb' | 'rootBytes'>[]
  /** Of the disks that were made for its members. */
  diskBytes: number
}

/** What a group takes that comes back from the bin: its members and their disks as they are, and those that it lacks. */
export function takenByReturning({ group, members, diskBytes }: Returning) {
  const lacking = takenByMembers(Math.max(0, group.facts.desired - members.length), group)
  return {
    vms: lacking.vms + members.length,
    processors: members.reduce((sum, { cpu }) => sum + cpu, lacking.processors),
    memory_mb: members.reduce((sum, { memoryMb }) => sum + memoryMb, lacking.memory_mb),
    disk_bytes: members.reduce(
      (sum, { rootBytes }) => sum + (rootBytes ?? 0),
      lacking.disk_bytes + diskBytes,
    ),
  }
}

/** What a group takes beyond what it was promised, when it is to have so many members. */
export const takenByGrowing = (group: GroupRecord, desired: number, members: number) =>
  takenByMembers(Math.max(0, desired - Math.max(group.facts.desired, members)), group)
