import { CalendarClock, X } from 'lucide-react'
import { useMay } from '../../api/access.ts'
import { errorText } from '../../api/errors.ts'
import { type Scheduled, useSnapshotSchedule } from '../../api/snapshot-schedules.ts'
import { useDialogInUrl, useOpenDialog } from '../../shell/use-dialog.ts'
import { Button, IconButton } from '../../ui/Button.tsx'
import { later } from '../../ui/later.tsx'
import { reasonOf } from '../../ui/reason.ts'
import { scheduleDialogs } from './schedule-dialogs.ts'
import { isSet, nextText, rhythmsText, troublesOf } from './schedule-words.ts'

const ways = { close: ({ onClose }: { onClose: () => void }) => onClose() }
// The forms come when they are first opened.
const SetDialog = later(async () => (await import('./ScheduleDialog.tsx')).ScheduleDialog, ways)
const DeleteDialog = later(
  async () => (await import('./DeleteScheduleDialog.tsx')).DeleteScheduleDialog,
  ways,
)

/** The time zone of whoever reads the page. */
const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** When snapshots of a VM or disk are taken, on its page. */
export function SnapshotScheduleSection({ of }: { of: Scheduled }) {
  const { schedule, error, retry } = useSnapshotSchedule(of)
  const openDialog = useOpenDialog()
  const { dialog, close } = useDialogInUrl()
  const may = useMay(of.project_id)
  const refusal = (what: 'set' | 'delete') =>
    reasonOf(may(of.kind === 'vm' ? `vmSnapshotSchedule.${what}` : `diskSnapshotSchedule.${what}`))
  const hasSchedule = schedule !== undefined && isSet(schedule)
  return (
    <section className="min-w-0">
      <h2 className="mb-2 text-section">Snapshot schedule</h2>
      {error && (
        <p className="text-hint text-ink-3">
          {errorText(error, 'The snapshot schedule could not be loaded.')}{' '}
          <button type="button" className="link" onClick={retry}>
            Try Again
          </button>
        </p>
      )}
      {hasSchedule && (
        <div className="sheet flex items-start gap-1.5 px-3.5 py-2 text-dense">
          <div className="min-w-0 flex-1">
            <p className="font-[550] wrap-anywhere">{rhythmsText(schedule, ownZone)}</p>
            <p className="text-label/4.5 text-ink-3">{nextText(schedule)}</p>
            {troublesOf(schedule).map((trouble) => (
              <p key={trouble} className="mt-1 text-hint text-bad wrap-anywhere">
                {trouble}
              </p>
            ))}
          </div>
          <IconButton
            size="sm"
            label="Delete snapshot schedule"
            icon={<X size={16} strokeWidth={1.6} aria-hidden />}
            disabledReason={refusal('delete')}
            onClick={() => openDialog(scheduleDialogs.delete, of.id)}
            className="-mr-1.5"
          />
        </div>
      )}
      {schedule && !hasSchedule && (
        <p className="text-ink-2">No snapshots are taken automatically. Set times, and how many to keep.</p>
      )}
      {schedule && (
        <Button
          size="sm"
          icon={<CalendarClock size={14} strokeWidth={1.6} aria-hidden />}
          disabledReason={refusal('set')}
          onClick={() => openDialog(scheduleDialogs.set, of.id)}
          className="mt-2 phone:h-10"
        >
          {hasSchedule ? 'Change Schedule' : 'Set Schedule'}
        </Button>
      )}
      {schedule && dialog?.of === of.id && dialog.name === scheduleDialogs.set && (
        <SetDialog of={of} schedule={schedule} ownZone={ownZone} onClose={() => close()} />
      )}
      {hasSchedule && dialog?.of === of.id && dialog.name === scheduleDialogs.delete && (
        <DeleteDialog of={of} onClose={() => close()} />
      )}
    </section>
  )
}
