import { isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import { CircleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { WorkTrack } from '../../ui/Progress.tsx'

interface Noted {
  name: string
  description: string
  status: string
  status_message: string | null
  progress: number | null
}

/**
 * What stands below the facts of a snapshot, of a VM or a disk: its description, and how far it is or why it failed.
 * Null when there is nothing to say.
 */
export function snapshotNote(snapshot: Noted): ReactNode {
  const { name, description, status, status_message, progress } = snapshot
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
      {!underWay && (failed || status_message) && (
        <p className="flex gap-2">
          {failed && (
            <CircleAlert size={16} strokeWidth={1.6} aria-hidden className="mt-px flex-none text-bad-mark" />
          )}
          <span className="min-w-0 wrap-anywhere">{failed ? whyText(snapshot) : status_message}</span>
        </p>
      )}
    </div>
  )
}

/** What happens in a state about which the server says nothing more. */
const steps: Record<string, string> = { pending: 'Waiting for its turn', creating: 'Saving' }

/** Why it failed, and what to do where the server does not say it. */
function whyText({ status, status_message }: Noted): string {
  const reason = status_message ?? 'The server gave no reason.'
  if (vmSnapshotStateOf({ status }) === 'error' || /again\.$/.test(reason)) return reason
  return `${reason}${/[.!?]$/.test(reason) ? '' : '.'} Delete this snapshot and create it again.`
}
