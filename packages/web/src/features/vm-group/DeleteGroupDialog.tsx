import type { ReactNode } from 'react'
import { useConfirmedAct } from '../../shell/use-confirmed-act.ts'
import type { CloseDialog } from '../../shell/use-dialog.ts'
import { ConfirmDialog } from '../../ui/Dialog.tsx'
import { pageHeading } from '../../ui/return-focus.ts'

interface DeleteGroupDialogProps {
  /** Also the label of the button. */
  title: string
  /** The question. */
  children: ReactNode
  texts: { deleted: string; failed: string }
  remove: () => Promise<unknown>
  onClose: CloseDialog
  /** Where to go when the group of the page was deleted; a list stays where it is. */
  afterDelete: string | undefined
}

/** Asks before a pool or set is deleted with its VMs. */
export function DeleteGroupDialog({
  title,
  children,
  texts,
  remove,
  onClose,
  afterDelete,
}: DeleteGroupDialogProps) {
  const confirm = useConfirmedAct({
    act: remove,
    done: texts.deleted,
    failed: texts.failed,
    onDone: () => onClose(afterDelete === undefined ? {} : { to: afterDelete }),
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={() => onClose()}
      title={title}
      confirmLabel={title}
      busyLabel="Deleting..."
      focusAfter={pageHeading}
      {...confirm}
    >
      <p>{children}</p>
      <p className="mt-2">
        Disks that were created for its VMs are deleted with them. Other disks on them, and all snapshots, are
        kept.
      </p>
    </ConfirmDialog>
  )
}
