import { type Disk, diskCan, diskStateOf, hotPlugAllowed, type Limits, uploadTexts } from '@slipway/contract'
import type { Condition } from '../../shell/Condition.tsx'
import { reasonOf } from '../../ui/reason.ts'

const steps: Partial<Record<Disk['source'], string>> = {
  image: 'Writing the image to the disk',
  snapshot: 'Copying the snapshot',
  upload: uploadTexts.checking,
}

type Described = Pick<Disk, 'status' | 'vm_id' | 'source' | 'progress' | 'status_message' | 'status_since'>

/** How the work on a disk is going, or why there is none any more and what to do. Null for one that is well. */
export function diskCondition(disk: Described): Condition | null {
  const { source, vm_id, progress, status_message: reason, status_since: since } = disk
  switch (diskStateOf(disk)) {
    case 'creating':
      return { tone: 'working', step: reason ?? steps[source], progress, since }
    case 'failed':
      return { tone: 'failed', reason, next: 'Delete this disk and create it again.', since }
    case 'error':
      return {
        tone: 'failed',
        reason,
        next:
          vm_id === null
            ? 'Create a new disk from its last snapshot, or delete it.'
            : 'Detach it, then create a new disk from its last snapshot.',
        since,
      }
    default:
      return reason ? { tone: 'known', reason } : null
  }
}

/**
 * Why a disk stays on its VM for as long as that runs. Undefined where it can be detached, and while the status of its
 * VM is not known.
 */
export const detachLimit = (
  disk: Pick<Disk, 'status' | 'vm_id'>,
  vmStatus: string | undefined,
  limits: Limits,
): string | undefined =>
  vmStatus !== undefined && diskCan.detach(disk) === true
    ? reasonOf(hotPlugAllowed({ status: vmStatus }, limits))
    : undefined
