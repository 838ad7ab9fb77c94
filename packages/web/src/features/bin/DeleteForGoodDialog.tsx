import { type BinItem, binNouns } from '@slipway/contract'
import { useDeleteForGood } from '../../api/bin.ts'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'

/** Before something in the bin is deleted for good. */
export function DeleteForGoodDialog({ item, onClose }: { item: BinItem; onClose: () => void }) {
  const { mutateAsync } = useDeleteForGood()
  const noun = binNouns[item.kind]
  const confirm = useConfirmedAct({
    call: 'bin.delete',
    act: () => mutateAsync(item),
    done: `Deleted ${noun} "${item.name}" for good`,
    failed: `Failed to delete the ${noun}. Please try again.`,
    onDone: onClose,
  })
  const disks = item.disks.length
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title="Delete for good"
      confirmLabel="Delete for good"
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      {...confirm}
    >
      Delete {noun} "
      <b>
        <bdi>{item.name}</bdi>
      </b>
      "{disks > 0 && ` and the ${disks === 1 ? 'disk' : `${disks} disks`} in the bin with it`} for good? This
      action cannot be undone.
    </ConfirmDialog>
  )
}
