import { type Scheduled, useDeleteSnapshotSchedule } from '../../api/snapshot-schedules.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'

/** Before a schedule is deleted. */
export function DeleteScheduleDialog({ of, onClose }: { of: Scheduled; onClose: () => void }) {
  const { mutateAsync } = useDeleteSnapshotSchedule(of)
  const confirmed = useConfirmedAct({
    call: of.kind === 'vm' ? 'vmSnapshotSchedule.delete' : 'diskSnapshotSchedule.delete',
    act: () => mutateAsync(),
    done: `The snapshot schedule of "${of.name}" was deleted`,
    failed: 'Failed to delete the snapshot schedule. Please try again.',
    onDone: onClose,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete snapshot schedule"
      confirmLabel="Delete Schedule"
      busyLabel="Deleting..."
      {...confirmed}
    >
      Delete the snapshot schedule of "<b>{of.name}</b>"? No more snapshots are taken. Those that it took are
      kept until you delete them or they expire.
    </ConfirmDialog>
  )
}
