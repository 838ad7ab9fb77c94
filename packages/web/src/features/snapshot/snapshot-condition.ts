import { isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import type { Condition } from '../../shell/Condition.tsx'

interface Described {
  status: string
  status_message: string | null
  status_since: string
  progress: number | null
}

/** What happens in a state about which the server says nothing more. */
const steps: Record<string, string> = {
  pending: 'Waiting to start',
  creating: 'Saving',
  deleting: 'Deleting',
}

/** How the work on a snapshot is going, of a VM or a disk, or why it failed and what to do. Null when it is well. */
export function snapshotCondition(snapshot: Described): Condition | null {
  const { status_message: reason, status_since: since, progress } = snapshot
  const state = vmSnapshotStateOf(snapshot)
  if (isSnapshotUnderWay(snapshot)) return { tone: 'working', step: reason ?? steps[state], progress, since }
  if (state === 'failed' || state === 'error')
    return { tone: 'failed', reason, next: nextOf(snapshot), since }
  return reason ? { tone: 'known', reason } : null
}

/** What to do where the server does not say it. */
function nextOf({ status, status_message }: Described): string | undefined {
  if (vmSnapshotStateOf({ status }) === 'error' || /again\.$/.test(status_message ?? '')) return undefined
  return 'Delete this snapshot and create it again.'
}
