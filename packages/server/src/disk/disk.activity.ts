/** What the activity log says of disks. */

import { diskTexts, operationTexts } from '@slipway/contract'
import { change, type Entry, entry, failure, repair, type Subject, type Told } from '../activity/entry.ts'
import type { DiskRecord } from './disk.state.ts'

type Named = { id: string; name: string }

export const diskSubject = ({ id, name }: Named, projectId: string | null): Subject => ({
  type: 'disk',
  id,
  name,
  projectId,
})

/** What is new when a disk has changed; nothing when its status has not. */
export function diskNews(before: DiskRecord, after: DiskRecord, nowMs: number): Entry[] {
  const told = before.disk.status === after.disk.status ? null : newsOf(before.disk, after.disk)
  return told ? [entry(nowMs, diskSubject(after.disk, after.projectId), told)] : []
}

function newsOf(before: DiskRecord['disk'], { name, status, ...disk }: DiskRecord['disk']): Told | null {
  if (before.status === 'error' && (status === 'available' || status === 'attached'))
    return repair('disk.found', `Disk ${name} can be read again`)
  switch (status) {
    case 'available': {
      const why = before.vm_name === null ? null : `Detached from VM ${before.vm_name}.`
      return change('disk.available', `Disk ${name} is available`, why)
    }
    case 'attached':
      return change('disk.attached', `Disk ${name} is attached to VM ${disk.vm_name}`)
    case 'failed':
      // Who cancelled it is told of by the wish.
      if (disk.status_message === operationTexts.cancelled) return null
      return failure('disk.failed', `Disk ${name} could not be created`, disk.status_message)
    case 'error':
      return failure('disk.error', `Disk ${name} is lost or damaged`, disk.status_message)
    default:
      return null
  }
}

/** A guest did not let go of a disk, so that the wish to detach it came to nothing. */
export const notReleased = ({ disk, projectId }: DiskRecord, nowMs: number): Entry =>
  entry(
    nowMs,
    diskSubject(disk, projectId),
    failure('disk.notDetached', `Disk ${disk.name} could not be detached`, diskTexts.notReleased),
  )

/** A disk is larger now. */
export const grown = ({ disk, projectId }: DiskRecord, nowMs: number): Entry =>
  entry(
    nowMs,
    diskSubject(disk, projectId),
    change('disk.grown', `Disk ${disk.name} has a size of ${disk.size}`),
  )

/** A disk cannot become larger, so that the wish came to nothing. */
export const notGrown = ({ disk, projectId }: DiskRecord, why: string, nowMs: number): Entry =>
  entry(
    nowMs,
    diskSubject(disk, projectId),
    failure('disk.notGrown', `Disk ${disk.name} could not be enlarged`, why),
  )

/** A disk is left to others because VM `vmName` is being deleted. */
export const diskFreed = (disk: Named, vmName: string, projectId: string | null, nowMs: number): Entry =>
  entry(
    nowMs,
    diskSubject(disk, projectId),
    change('disk.available', `Disk ${disk.name} is available`, `VM ${vmName} was deleted.`),
  )

/** A disk is attached again because VM `vmName` came back from the bin. */
export const diskAttachedAgain = (
  disk: Named,
  vmName: string,
  projectId: string | null,
  nowMs: number,
): Entry =>
  entry(
    nowMs,
    diskSubject(disk, projectId),
    change('disk.attached', `Disk ${disk.name} is attached to VM ${vmName}`, `VM ${vmName} was restored.`),
  )
