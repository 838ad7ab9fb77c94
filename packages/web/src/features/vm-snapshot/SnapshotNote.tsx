import { isSnapshotUnderWay, vmSnapshotStateOf } from '@slipway/contract'
import { CircleAlert } from 'lucide-react'
import { WorkTrack } from '../../ui/Progress.tsx'

interface SnapshotNoteProps {
  snapshot: {
    name: string
    description: string
    status: string
    status_message: string | null
    progress: number | null
  }
  /** The console made it by itself, so that a restore can be undone. */
  automatic?: boolean
}

/** What stands below the facts of a snapshot: its description, and how far it is or why it failed. */
export function SnapshotNote({ snapshot, automatic = false }: SnapshotNoteProps) {
  const { name, description, status, status_message, progress } = snapshot
  const failed = ['failed', 'error'].includes(vmSnapshotStateOf(snapshot))
  const underWay = isSnapshotUnderWay(snapshot)
  if (!description && !automatic && !failed && !underWay && !status_message) return null
  return (
    <div className="grid gap-1.5 text-hint text-ink-2">
      {automatic && <p className="text-ink-3">Automatic: undoes the restore that was made right after it.</p>}
      {description && (
        <p className="line-clamp-2 max-w-[96ch] wrap-anywhere" dir="auto">
          {description}
        </p>
      )}
      {underWay && (
        <div className="pt-1.5">
          <div className="h-px bg-line" />
          <WorkTrack label={`${name}: ${status}`} value={progress ?? undefined} />
          <p className="mt-1.5 flex gap-2">
            {progress !== null && <span className="font-medium text-ink">{Math.floor(progress * 100)}%</span>}
            <span className="wrap-anywhere">
              {status_message ?? waiting[status.toLowerCase()] ?? 'Saving'}
            </span>
          </p>
        </div>
      )}
      {!underWay && (failed || status_message) && (
        <p className="flex gap-1.5">
          {failed && (
            <CircleAlert size={14} strokeWidth={1.6} aria-hidden className="mt-0.5 flex-none text-bad" />
          )}
          <span className="min-w-0 wrap-anywhere">{status_message ?? 'The server gave no reason.'}</span>
        </p>
      )}
    </div>
  )
}

/** What happens in a status about which the server says nothing more. */
const waiting: Record<string, string> = {
  pending: 'Waiting for its turn',
  deleting: 'Removing it',
}
