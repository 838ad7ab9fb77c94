import { isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import type { ReactNode } from 'react'
import { WhyLine } from '../../shell/Why.tsx'
import { WorkTrack } from '../../ui/Progress.tsx'

interface Noted {
  name: string
  description: string
  status: string
  status_message: string | null
  status_since: string
  progress: number | null
}

/**
 * What stands below the facts of a snapshot, of a VM or a disk: its description, and how far it is or why it failed.
 * Null when there is nothing to say.
 */
export function snapshotNote(snapshot: Noted): ReactNode {
  const { name, description, status, status_message, status_since, progress } = snapshot
  const state = vmSnapshotStateOf(snapshot)
  const failed = state === 'failed' || state === 'error'
  const underWay = isSnapshotUnderWay(snapshot)
  const step = status_message ?? steps[state]
  if (!description && !failed && !underWay && !status_message) return null
  return (
    <div className="grid gap-1.5 text-hint text-ink-2">
      {description && (
        <p className="line-clamp-2 max-w-[96ch] wrap-anywhere" dir="auto">
          {description}
        </p>
      )}
      {underWay && (
        <div className="mt-1.5 border-t border-line">
          <WorkTrack label={`${name}: ${status}`} value={progress ?? undefined} />
          {(step || progress !== null) && (
            <p className="mt-2 flex gap-2">
              {progress !== null && (
                <span className="font-medium text-ink">{Math.floor(progress * 100)}%</span>
              )}
              <span className="min-w-0 wrap-anywhere">{step}</span>
            </p>
          )}
        </div>
      )}
      {failed && (
        <WhyLine tone="failed" {...{ reason: status_message, since: status_since, next: nextOf(snapshot) }} />
      )}
      {!underWay && !failed && status_message && <WhyLine tone="known" reason={status_message} />}
    </div>
  )
}

/** What happens in a state about which the server says nothing more. */
const steps: Record<string, string> = { pending: 'Waiting for its turn', creating: 'Saving' }

/** What to do where the server does not say it. */
function nextOf({ status, status_message }: Noted): string | undefined {
  if (vmSnapshotStateOf({ status }) === 'error' || /again\.$/.test(status_message ?? '')) return undefined
  return 'Delete this snapshot and create it again.'
}
