import type { GroupDisk, GroupEvent } from '@slipway/contract'
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
